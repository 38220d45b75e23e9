# SPDX-License-Identifier: Apache-2.0
"""Numbers and counts: laws of the distributions that come out."""

from __future__ import annotations

import warnings
from copy import copy

import numpy as np
import pytest
from scipy import special, stats

from nimgp import NoisyGPCountRegressor, NoisyGPRegressor
from problems import make_targets

LEVELS = (0.02, 0.05, 0.25, 0.5, 0.75, 0.95, 0.98)


@pytest.fixture(scope="module", params=["gaussian", "student_t"])
def numbers(request):
    problem = make_targets(NoisyGPRegressor, 200)
    model = NoisyGPRegressor(
        likelihood=request.param, epochs=600, rate=0.05, random_state=0
    )
    return problem, model.fit(problem.X, problem.y, X_err=problem.sigma)


@pytest.fixture(scope="module")
def counts():
    problem = make_targets(NoisyGPCountRegressor, 200)
    model = NoisyGPCountRegressor(epochs=300, rate=0.05, random_state=0)
    return problem, model.fit(problem.X, problem.y, X_err=problem.sigma)


ROWS = np.array([[0.0, 0.0], [1.0, -0.5], [-1.5, 1.0]])
BARS = np.array([[0.3, 0.3], [0.0, 0.0], [1.0, 0.1]])


def test_density_mean_and_quantiles_are_of_one_distribution(numbers):
    """With few points; of many, a quantile looks at groups."""
    model = copy(numbers[1]).set_params(points=8)
    mean, std = model.predict(ROWS, X_err=BARS, return_std=True)
    quantiles = model.predict_quantiles(ROWS, LEVELS, X_err=BARS)
    assert np.array_equal(mean, model.predict(ROWS, X_err=BARS))
    assert quantiles.shape == (3, len(LEVELS)) and (np.diff(quantiles, axis=1) > 0).all()
    for row in range(3):
        y, density = density_of(model, row, mean[row], std[row])
        step = y[1] - y[0]
        assert np.isclose(density.sum() * step, 1, atol=1e-4)
        assert np.isclose((density * y).sum() * step, mean[row], atol=1e-3 * std[row])
        cumulated = (np.cumsum(density) - 0.5 * density) * step
        spread = np.sqrt((density * (y - mean[row]) ** 2).sum() * step)
        if model.likelihood == "student_t":  # half of the central 68.27 % interval
            spread = np.diff(np.interp([0.158655, 0.841345], cumulated, y))[0] / 2
        assert np.isclose(spread, std[row], rtol=1e-2)
        assert np.allclose(np.interp(quantiles[row], y, cumulated), LEVELS, atol=1e-4)


def density_of(model, row, mean, std, reach=40, points=4001):
    y = mean + std * np.linspace(-reach, reach, points)
    again = np.repeat(row, points)
    return y, np.exp(model.log_density(ROWS[again], y, X_err=BARS[again]))


def test_quantiles_with_many_points(numbers):
    _, model = numbers
    mean, std = model.predict(ROWS, X_err=BARS, return_std=True)
    quantiles = model.predict_quantiles(ROWS, LEVELS, X_err=BARS)
    assert np.array_equal(model.predict_quantiles(ROWS, 0.5, X_err=BARS), quantiles[:, LEVELS.index(0.5)])
    for row in range(3):
        y, density = density_of(model, row, mean[row], std[row], 10, 1001)
        cumulated = (np.cumsum(density) - 0.5 * density) * (y[1] - y[0])
        assert np.allclose(np.interp(quantiles[row], y, cumulated), LEVELS, atol=1e-4)


def test_a_normal_distribution_where_inputs_are_exact():
    X, y, sigma, _ = make_targets(NoisyGPRegressor)
    model = NoisyGPRegressor(epochs=30, random_state=0).fit(X, y, X_err=sigma)
    mean, std = model.predict(X, X_err=0, return_std=True)
    normal = stats.norm(mean[:, None], std[:, None])
    assert np.allclose(model.predict_quantiles(X, LEVELS, X_err=0), normal.ppf(LEVELS), atol=1e-9)
    assert np.allclose(model.log_density(X, y, X_err=0), normal.logpdf(y[:, None])[:, 0], atol=1e-9)
    assert (std > model.noise_deviation_).all()


def test_numbers_are_predicted(numbers):
    _, model = numbers
    X, y, sigma, _ = make_targets(NoisyGPRegressor, 300, seed=1)
    assert model.score(X, y, X_err=sigma) > 0.8
    mean = model.predict(X, X_err=sigma)
    share = 1 - ((y - mean) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert np.isclose(model.score(X, y, X_err=sigma), share)
    low, high = model.predict_quantiles(X, (0.05, 0.95), X_err=sigma).T
    assert 0.85 < ((low < y) & (y < high)).mean() < 0.995
    wide = model.predict(X[:20], X_err=1.0, return_std=True)[1]
    assert (wide > model.predict(X[:20], X_err=0.05, return_std=True)[1]).all()


def test_error_bars_pay():
    """Half of the rows measured well, half badly: who knows which is which predicts better."""
    first, new = make_targets(NoisyGPRegressor, 200), make_targets(NoisyGPRegressor, 500, seed=1)
    rng = np.random.default_rng(2)
    truth, y = np.concatenate([first.truth, new.truth]), np.concatenate([first.y, new.y])
    sigma = np.repeat(rng.choice([0.02, 1.0], size=(700, 1)), 2, axis=1)
    X = truth + sigma * rng.normal(size=truth.shape)
    density = {}
    for name in ("latent", "first_order", "exact"):
        model = NoisyGPRegressor(name, epochs=400, rate=0.05, random_state=0)
        model.fit(X[:200], y[:200], X_err=sigma[:200])
        density[name] = model.log_density(X[200:], y[200:], X_err=sigma[200:]).mean()
    assert density["latent"] > density["exact"] + 0.1
    assert density["first_order"] > density["exact"] + 0.1


def test_outliers_are_forgiven():
    X, y, _, truth = make_targets(NoisyGPRegressor, 200)
    rng = np.random.default_rng(0)
    wild = np.where(rng.uniform(size=200) < 0.1, y + rng.choice([-15, 15], size=200), y)
    error = []
    for likelihood in ("gaussian", "student_t"):
        model = NoisyGPRegressor(
            "exact", likelihood=likelihood, epochs=300, rate=0.05, random_state=0
        )
        found = model.fit(truth, wild).predict(truth)
        error.append(np.abs(found - np.sin(1.5 * truth[:, 0]) - truth[:, 1]).mean())
    assert error[1] < 0.5 * error[0]
    assert model.freedom_ < 5


def test_the_unit_of_y_does_not_matter():
    """Another unit, here a power of two, changes the numbers by its power and nothing else."""
    X, y, sigma, _ = make_targets(NoisyGPRegressor)
    for likelihood in ("gaussian", "student_t"):
        one, other = (
            NoisyGPRegressor(likelihood=likelihood, epochs=20, random_state=0).fit(
                X, y * unit, X_err=sigma
            )
            for unit in (1.0, 1024.0)
        )
        for mine, theirs in zip(
            one.predict(X, X_err=sigma, return_std=True), other.predict(X, X_err=sigma, return_std=True),
            strict=True,
        ):  # fmt: skip
            assert np.array_equal(mine * 1024, theirs)
        density = other.log_density(X, y * 1024, X_err=sigma)
        assert np.allclose(density, one.log_density(X, y, X_err=sigma) - np.log(1024), atol=1e-9)
        for name in ("noise_deviation_", "scale_"):
            if hasattr(one, name):
                assert getattr(other, name) == 1024 * getattr(one, name)


@pytest.mark.parametrize("likelihood", ["gaussian", "student_t"])
@pytest.mark.parametrize("value", [0.0, -7.5, 1e12])
def test_the_same_number_everywhere(likelihood, value):
    X, _, sigma, _ = make_targets(NoisyGPRegressor)
    model = NoisyGPRegressor(likelihood=likelihood, epochs=100, points=32, random_state=0)
    mean, std = model.fit(X, np.full(120, value), X_err=sigma).predict(X, X_err=sigma, return_std=True)
    assert np.allclose(mean, value, atol=0.5) and np.isfinite(std).all() and (std >= 0).all()
    assert np.isfinite(model.log_density(X, np.full(120, value), X_err=sigma)).all()
    low, high = model.predict_quantiles(X, (0.05, 0.95), X_err=sigma).T
    assert (low <= value).all() and (value <= high).all()


# ---------------------------------------------------------------------- counts


def test_probabilities_of_counts(counts):
    """With few points; of many, a quantile looks at groups."""
    model = copy(counts[1]).set_params(points=8)
    exposure = np.array([1.0, 0.5, 4.0])
    mean, std = model.predict(ROWS, X_err=BARS, return_std=True, exposure=exposure)
    quantiles = model.predict_quantiles(ROWS, LEVELS, X_err=BARS, exposure=exposure)
    every = np.arange(3000)
    for row in range(3):
        again = np.repeat(row, len(every))
        p = np.exp(model.log_density(ROWS[again], every, X_err=BARS[again], exposure=exposure[row]))
        assert np.isclose(p.sum(), 1, atol=1e-6)
        assert np.isclose((p * every).sum(), mean[row], rtol=1e-4)
        assert np.isclose(np.sqrt((p * (every - mean[row]) ** 2).sum()), std[row], rtol=1e-3)
        # The least count at which the cumulated probabilities reach the level.
        assert quantiles[row].tolist() == [int(np.argmax(p.cumsum() >= a)) for a in LEVELS]


def test_counts_are_predicted(counts):
    _, model = counts
    X, y, sigma, _ = make_targets(NoisyGPCountRegressor, 300, seed=1)
    mean, std = model.predict(X, X_err=sigma, return_std=True)
    assert (std > np.sqrt(mean)).all()  # the rate is uncertain, too
    assert model.score(X, y, X_err=sigma) > 0.4
    low, high = model.predict_quantiles(X, (0.05, 0.95), X_err=sigma).T
    assert 0.85 < ((low <= y) & (y <= high)).mean() <= 0.99


def test_exposure_multiplies_the_mean(counts):
    problem, model = counts
    one = model.predict(problem.X, X_err=problem.sigma)
    assert np.allclose(model.predict(problem.X, X_err=problem.sigma, exposure=3.0), 3 * one, rtol=1e-9)
    each = np.linspace(0.1, 5, len(one))
    assert np.allclose(model.predict(problem.X, X_err=problem.sigma, exposure=each), each * one)


def test_the_unit_of_exposure_does_not_matter():
    X, _, sigma, truth = make_targets(NoisyGPCountRegressor)
    rng = np.random.default_rng(4)
    hours = rng.uniform(0.5, 4, size=120)
    y = rng.poisson(hours * np.exp(truth[:, 0]))
    settings = {"epochs": 60, "rate": 0.05, "random_state": 0}
    in_hours = NoisyGPCountRegressor(**settings).fit(X, y, X_err=sigma, exposure=hours)
    in_seconds = NoisyGPCountRegressor(**settings).fit(X, y, X_err=sigma, exposure=hours * 4096)
    assert np.isclose(in_seconds.base_rate_ * 4096, in_hours.base_rate_, rtol=1e-6)
    assert np.allclose(
        in_seconds.predict(X, X_err=sigma, exposure=hours * 4096),
        in_hours.predict(X, X_err=sigma, exposure=hours),
        rtol=1e-6,
    )
    # What is the same rate over a longer time must not look like a higher rate.
    ignored = NoisyGPCountRegressor(**settings).fit(X, y, X_err=sigma)
    density = in_hours.log_density(X, y, X_err=sigma, exposure=hours).mean()
    assert density > ignored.log_density(X, y, X_err=sigma).mean() + 0.1
    # Rows are added with theirs.
    more = NoisyGPCountRegressor(**settings).fit(X[:60], y[:60], X_err=sigma[:60])
    more.partial_fit(X[60:], y[60:], X_err=sigma[60:], exposure=hours[60:])
    warm = NoisyGPCountRegressor(warm_start=True, **settings).fit(X[:60], y[:60], X_err=sigma[:60])
    warm.fit(X, y, X_err=sigma, exposure=np.concatenate([np.ones(60), hours[60:]]))
    assert np.array_equal(*(model.predict(X, X_err=sigma, exposure=1) for model in (more, warm)))
    assert more.denoise(X[:60], y[:60], X_err=sigma[:60], exposure=1.0).mean.shape == (60, 2)


def test_nothing_was_counted():
    X, _, sigma, _ = make_targets(NoisyGPCountRegressor)
    model = NoisyGPCountRegressor(epochs=100, random_state=0).fit(X, np.zeros(120), X_err=sigma)
    mean = model.predict(X, X_err=sigma)
    assert (mean > 0).all() and (mean < 0.2).all()
    assert (model.predict_quantiles(X, 0.5, X_err=sigma) == 0).all()


def test_exposure_is_routed():
    import sklearn
    from sklearn.model_selection import cross_val_score

    X, y, sigma, _ = make_targets(NoisyGPCountRegressor)
    hours = np.linspace(0.5, 2, 120)
    halves = [(np.arange(60), np.arange(60, 120))]
    model = NoisyGPCountRegressor(epochs=10, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        params = {"X_err": sigma, "exposure": hours}
        (score,) = cross_val_score(model, X, y, cv=halves, params=params)
    train, test = halves[0]
    model.fit(X[train], y[train], X_err=sigma[train], exposure=hours[train])
    assert score == model.score(X[test], y[test], X_err=sigma[test], exposure=hours[test])


def test_levels_that_are_none(numbers):
    _, model = numbers
    for wrong in ((0.5, 1.0), 0.0, (0.1, np.nan), (-1,)):
        with pytest.raises(ValueError, match="levels: .* is not between 0 and 1"):
            model.predict_quantiles(ROWS, wrong, X_err=BARS)
    with pytest.raises(ValueError, match=r"levels has shape \(1, 1\)"):
        model.predict_quantiles(ROWS, [[0.5]], X_err=BARS)


def test_large_counts_with_errors_are_better_inferred():
    """Counts of hundreds are far sharper than noisy inputs; inputs that are inferred explain them."""
    rng = np.random.default_rng(0)
    x, sigma = rng.uniform(-3, 3, (400, 1)), rng.uniform(0.05, 0.5, (400, 1))
    y, X = rng.poisson(np.exp(5.5 + np.sin(2 * x[:, 0]))), x + sigma * rng.normal(size=x.shape)
    learn, judge = slice(0, 200), slice(200, 400)
    nll = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("latent", "exact"):
            model = NoisyGPCountRegressor(kind, inducing=20, epochs=500, stop="fixed", random_state=0)
            model.fit(X[learn], y[learn], X_err=sigma[learn])
            nll.append(-model.log_density(X[judge], y[judge], X_err=sigma[judge]).mean())
    assert nll[0] < nll[1] - 2


def test_errors_of_y_are_told_apart_from_its_noise():
    """y scatters by 0.1 around a line and is measured with errors up to 1. Told of them, the model
    finds the scatter, and its line is closer to the truth: precise rows count for more."""
    rng = np.random.default_rng(0)
    scatter, rows = 0.1, 400
    X = rng.uniform(-2, 2, size=(rows, 1))
    y_err = np.exp(rng.uniform(np.log(0.02), 0, size=rows))
    y = 2 * X[:, 0] + rng.normal(scale=np.hypot(scatter, y_err))
    alone = NoisyGPRegressor(random_state=0, views="one")  # one Gaussian around one function
    told = copy(alone).fit(X, y, y_err=y_err)
    blind = copy(alone).fit(X, y)
    assert abs(told.noise_deviation_ / scatter - 1) < 0.25
    assert blind.noise_deviation_ > 2 * scatter
    new = np.linspace(-1.9, 1.9, 50)[:, None]
    off = [np.sqrt(np.mean((m.predict(new) - 2 * new[:, 0]) ** 2)) for m in (told, blind)]
    assert off[0] < 0.7 * off[1]
    # Predictions are of y itself; the density of a measurement is wider by its error.
    mean, sd = told.predict(new, return_std=True)
    expected = stats.norm.logpdf(mean + 1, mean, np.hypot(sd, 0.7))
    np.testing.assert_allclose(told.log_density(new, mean + 1, y_err=0.7), expected, atol=1e-9)


def test_errors_of_y_that_cannot_be_used():
    X, y = np.arange(60.0)[:, None], np.sin(np.arange(60.0))
    for y_err, words in (([0.1] * 59, "shape"), ([-0.1] + [0.1] * 59, "row 0"), (np.nan, "row 0")):
        with pytest.raises(ValueError, match=words):
            NoisyGPRegressor(epochs=1).fit(X, y, y_err=y_err)
    masked = np.ma.array([0.1] * 60, mask=[False] * 59 + [True])
    with pytest.raises(ValueError, match="row 59"):
        NoisyGPRegressor(epochs=1).fit(X, y, y_err=masked)


# ---- densities, draws, bounds ----


def test_grid_is_the_density_at_given_numbers(numbers):
    problem, model = numbers
    low, high = model.predict_quantiles(ROWS, (1e-4, 1 - 1e-4), X_err=BARS).T
    grid = np.linspace(low.min(), high.max(), 3001)
    density = model.predict_density(ROWS, grid, X_err=BARS)
    assert density.shape == (3, 3001) and (density >= 0).all()
    assert np.allclose(np.trapezoid(density, grid, axis=1), 1, atol=3e-4)
    for k in (0, 1500, 3000):
        at = model.log_density(ROWS, np.full(3, grid[k]), X_err=BARS)
        assert np.allclose(np.log(density[:, k]), at, rtol=1e-10)
    with pytest.raises(ValueError, match="grid value nan is not a finite number"):
        model.predict_density(ROWS, [0.0, np.nan], X_err=BARS)
    with pytest.raises(ValueError, match="grid has shape"):
        model.predict_density(ROWS, [[0.0]], X_err=BARS)


def test_draws_have_the_predicted_distribution(numbers):
    problem, model = numbers
    drawn = model.sample_y(ROWS, 400, X_err=BARS, random_state=3)
    assert drawn.shape == (3, 400)
    for row in range(3):
        x, bar = ROWS[row : row + 1], BARS[row : row + 1]
        mean, std = model.predict(x, X_err=bar, return_std=True)
        y, density = density_of(model, row, mean[0], std[0])
        cumulated = np.cumsum(density) * (y[1] - y[0])
        places = np.interp(drawn[row], y, cumulated)
        assert stats.kstest(places, "uniform").pvalue > 1e-3
    assert np.array_equal(drawn, model.sample_y(ROWS, 400, X_err=BARS, random_state=3))
    assert np.array_equal(drawn[:2], model.sample_y(ROWS[:2], 400, X_err=BARS[:2], random_state=3))
    assert not np.array_equal(drawn, model.sample_y(ROWS, 400, X_err=BARS, random_state=4))
    assert abs(np.corrcoef(drawn)[0, 1]) < 0.2  # rows are independent
    with pytest.raises(ValueError, match="n_samples"):
        model.sample_y(ROWS, 0, X_err=BARS)


def test_counts_on_a_grid_and_drawn(counts):
    problem, model = counts
    grid = np.arange(200)
    p = model.predict_density(ROWS, grid, X_err=BARS, exposure=2.0)
    assert np.allclose(p.sum(axis=1), 1, atol=1e-4)
    assert np.allclose(p @ grid, model.predict(ROWS, X_err=BARS, exposure=2.0), rtol=1e-3)
    drawn = model.sample_y(ROWS, 300, X_err=BARS, exposure=2.0)
    spread = np.sqrt((p @ grid**2 - (p @ grid) ** 2) / 300)
    assert (np.abs(drawn.mean(axis=1) - p @ grid) < 4 * spread).all()
    assert np.array_equal(drawn, drawn.round()) and drawn.min() >= 0
    with pytest.raises(ValueError, match="grid value 0.5 is not a count"):
        model.predict_density(ROWS, [0.5], X_err=BARS, exposure=1.0)


# Bounds, the transformation to a number without bounds, and back.
BOUNDED = [
    (0, np.inf, np.log, np.exp),
    (-np.inf, 1, lambda y: -np.log(1 - y), lambda u: 1 - np.exp(-u)),
    (0, 1, special.logit, special.expit),
]


@pytest.mark.parametrize("lowest, highest, free, bind", BOUNDED)
def test_nothing_is_predicted_beyond_bounds(lowest, highest, free, bind, tmp_path):
    """The transformed number is what a model without bounds learns; moments follow from draws."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-3, 3, (150, 1))
    u = np.sin(X[:, 0]) + 0.5 * rng.normal(size=150)
    model = NoisyGPRegressor(lowest=lowest, highest=highest, epochs=100, random_state=0).fit(X, bind(u))
    plain = NoisyGPRegressor(epochs=100, random_state=0).fit(X, u)
    low, middle, high = model.predict_quantiles(X, (1e-6, 0.3, 1 - 1e-6)).T
    assert (low >= lowest).all() and (high <= highest).all() and (low < high).all()
    assert np.allclose(free(middle), plain.predict_quantiles(X, 0.3), atol=1e-5)
    mean, std = model.predict(X[:3], return_std=True)
    drawn = model.sample_y(X[:3], 4000)
    assert (np.abs(drawn.mean(axis=1) - mean) < 4 * std / np.sqrt(4000)).all()
    assert np.allclose(drawn.std(axis=1), std, rtol=0.15)
    below, above = model.predict_density(X[:1], [-5.0, 5.0])[0]
    assert (below == 0) == (lowest == 0) and (above == 0) == (highest == 1)
    model.save(tmp_path / "m")
    loaded = NoisyGPRegressor.load(tmp_path / "m")
    assert (loaded.lowest, loaded.highest) == (lowest, highest)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    beyond = lowest if np.isfinite(lowest) else highest
    with pytest.raises(ValueError, match="row 2.*not between"):
        model.fit(X, np.where(np.arange(150) == 2, beyond, bind(u)))


def test_intervals_contain_as_many_as_they_say():
    rng = np.random.default_rng(6)
    X = rng.uniform(0, 6, (1500, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=1500) ** 3
    model = NoisyGPRegressor(random_state=0).fit(X[:500], y[:500])
    low, high = model.predict_interval(X[500:], 0.5).T
    inside = ((low <= y[500:]) & (y[500:] <= high)).mean()
    assert abs(inside - 0.5) < 3 * np.sqrt(0.25 / 500 + 0.25 / 1000)
    with pytest.raises(ValueError, match="coverage 1 is not between 0 and 1"):
        model.predict_interval(X, 1.0)
