# SPDX-License-Identifier: Apache-2.0
"""Mixtures over attributes and y, as part of the default for numbers, against a computation of their own."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from scipy import stats

from nimgp import Errors, NoisyGPRegressor, load

ROWS = 700


def draw(rows: int, seed: int, modes: int = 2):
    """Two correlated attributes with errors and gaps; y has one mode or two, and noise that varies."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(-2, 2, rows)
    X = np.column_stack([t, 0.9 * t + 0.2 * rng.normal(size=rows)])
    y = np.where(rng.uniform(size=rows) < 0.5, t, -t) if modes == 2 else np.sin(2 * t)
    y = y + 0.05 * np.exp(t) * rng.normal(size=rows)
    X_err = rng.uniform(0.02, 0.2, X.shape)
    X = X + X_err * rng.normal(size=X.shape)
    X[rng.uniform(size=rows) < 0.1, 1] = np.nan
    return X, X_err, y


@pytest.fixture(scope="module")
def fitted():
    X, X_err, y = draw(ROWS, 1)
    return NoisyGPRegressor(epochs=5, random_state=0, n_jobs=1).fit(X, y, X_err=X_err)


@pytest.fixture(scope="module")
def both():
    """A fit, and a panel of it and mixtures, in which it has some weight."""
    X, X_err, y = draw(ROWS, 1, modes=1)
    return [
        NoisyGPRegressor(random_state=0, n_jobs=1, views=views).fit(X, y, X_err=X_err)
        for views in ("one", "auto")
    ]


def arrays(model, tmp_path):
    """The arrays of a saved model."""
    model.save(tmp_path / "model.nimgp")
    whole = (tmp_path / "model.nimgp").read_bytes()
    end = 8 + struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8:end])
    sizes = header.pop("__metadata__")["joint"].split()
    found = {
        name: np.frombuffer(whole[end + at[0] : end + at[1]], "<f8").reshape(entry["shape"])
        for name, entry in header.items()
        if (at := entry["data_offsets"])
    }
    assert [len(found[f"joint{m + 1}.share"]) for m in range(len(sizes))] == [
        int(size) for size in sizes
    ]
    return found, len(sizes)


def conditional(found, mixtures, x, covariance, y, y_error):
    """log p(y | x) of one row, in the user's units, by block matrices; NaN in x is a gap."""
    there = np.flatnonzero(~np.isnan(x))
    deviation, unit = found["scaling.deviation"][: len(x)], found["scaling.target_deviation"][0]
    z = ((x - found["scaling.mean"][: len(x)]) / deviation)[there]
    noise = (covariance / np.outer(deviation, deviation))[np.ix_(there, there)]
    target = (y - found["scaling.target_mean"][0]) / unit
    density = 0.0
    for m in range(1, mixtures + 1):
        share, mean, root = (found[f"joint{m}.{name}"] for name in ("share", "mean", "factor"))
        whole = root @ root.transpose(0, 2, 1)
        weight, given = np.empty(len(share)), np.empty(len(share))
        for k in range(len(share)):
            total = whole[k][np.ix_(there, there)] + noise
            across = whole[k][-1, there]
            weight[k] = share[k] * stats.multivariate_normal(mean[k][there], total).pdf(z)
            slope = np.linalg.solve(total, across)
            centre = mean[k][-1] + slope @ (z - mean[k][there])
            variance = whole[k][-1, -1] - slope @ across + (y_error / unit) ** 2
            given[k] = stats.norm(centre, np.sqrt(variance)).pdf(target)
        density += (weight * given).sum() / weight.sum() / mixtures
    return density / unit


def test_density_is_the_weighted_one_of_the_parts(both, tmp_path):
    plain, panel = both
    found, mixtures = arrays(panel, tmp_path)
    own = found["panel.weights"][0, 0]
    assert 0.02 < own < 0.98 and np.isclose(found["panel.weights"][0].sum(), 1)
    X, _, _ = draw(12, 2)
    X[3, 1] = np.nan
    y, y_err = np.linspace(-2, 2, 12), np.linspace(0, 0.5, 12)
    root = np.array([[0.3, 0.0], [0.2, 0.1]]) * np.linspace(0.1, 2, 12)[:, None, None]
    covariance = root @ root.transpose(0, 2, 1)
    for errors, given in (
        (np.sqrt(covariance.diagonal(axis1=1, axis2=2)), covariance * np.eye(2)),
        (Errors(cov=covariance), covariance),
    ):
        for error in (None, y_err):
            alone = np.exp(plain.log_density(X, y, X_err=errors, y_err=error))
            mixed = np.exp(panel.log_density(X, y, X_err=errors, y_err=error))
            joint = [
                conditional(found, mixtures, X[i], given[i], y[i], 0 if error is None else error[i])
                for i in range(12)
            ]
            assert np.allclose(mixed, own * alone + (1 - own) * np.array(joint), rtol=1e-7)


@pytest.mark.parametrize("modes", [1, 2])
def test_one_distribution(both, fitted, modes):
    """Density, quantiles, draws, mean and deviation agree."""
    X, X_err = np.array([[1.5, 1.4], [-1.0, np.nan], [0.0, 0.5]]), np.full((3, 2), 0.1)
    panel, levels = both[1] if modes == 1 else fitted, (0.02, 0.25, 0.5, 0.9)
    mean, std = panel.predict(X, X_err=X_err, return_std=True)
    quantiles = panel.predict_quantiles(X, levels, X_err=X_err)
    drawn = panel.sample_y(X, 1000, X_err=X_err, random_state=5)
    grid = np.linspace(-8, 8, 16001)
    step = grid[1] - grid[0]
    for row in range(3):
        density = np.exp(
            panel.log_density(
                np.repeat(X[[row]], len(grid), 0), grid, X_err=np.repeat(X_err[[row]], len(grid), 0)
            )
        )
        assert np.isclose(density.sum() * step, 1, atol=1e-4)
        assert np.isclose((density * grid).sum() * step, mean[row], atol=1e-4)
        assert np.isclose(
            (density * (grid - mean[row]) ** 2).sum() * step, std[row] ** 2, rtol=1e-3
        )
        cumulated = (np.cumsum(density) - 0.5 * density) * step
        assert np.allclose(np.interp(quantiles[row], grid, cumulated), levels, atol=1e-4)
        assert stats.kstest(np.interp(drawn[row], grid, cumulated), "uniform").pvalue > 1e-3
        assert modes == 1 or row == 2 or quantiles[row, 0] < -0.5 < 0.5 < quantiles[row, 3]


def test_modes(fitted):
    """Of two branches there are two, where the density is highest around; of a normal density it is the mean."""
    X, X_err = np.array([[1.5, 1.4], [-1.0, np.nan], [-1.5, -1.3]]), np.full((3, 2), 0.05)
    grid = np.linspace(-4, 4, 801)
    modes = fitted.predict_modes(X, grid, 3, X_err=X_err)
    assert (abs(np.sort(abs(modes[:, :2]), axis=1) - abs(X[:, [0]])) < 0.25).all() and (modes[:, 0] * modes[:, 1] < 0).all()
    around = [fitted.predict_density(X, np.sort(modes[:, 0]) + h, X_err=X_err) for h in (-0.02, 0, 0.02)]
    own = np.argsort(np.argsort(modes[:, 0]))
    left, middle, right = (density[np.arange(3), own] for density in around)
    assert (middle > left).all() and (middle > right).all()
    assert np.array_equal(modes[:, :1], fitted.predict_modes(X, grid, X_err=X_err))

    normal = NoisyGPRegressor("exact", views="one", epochs=20, random_state=0, calibrate=False)
    normal.fit(grid[::8, None], np.sin(grid[::8]) + 0.1 * np.cos(37 * grid[::8]))
    uneven = np.sinh(grid)
    mean = normal.predict(X[:1, :1])
    assert np.allclose(normal.predict_modes(X[:1, :1], uneven, 2), [[mean[0], np.nan]], atol=1e-8, equal_nan=True)
    assert np.isnan(normal.predict_modes(X[:1, :1], [10.0, 11.0, 12.0])).all()
    for wrong, words in (([0.0, 0.0, 1.0], "increasing"), ([1.0], "three")):
        with pytest.raises(ValueError, match=words):
            normal.predict_modes(X[:1, :1], wrong)
    with pytest.raises(ValueError, match="most=0"):
        normal.predict_modes(X[:1, :1], grid, 0)


def test_same_bits_for_threads_calls_and_files(fitted, tmp_path):
    X, X_err, y = draw(ROWS, 1)
    panel = fitted
    again = NoisyGPRegressor(epochs=5, random_state=0, n_jobs=2).fit(X, y, X_err=X_err)
    whole = panel.log_density(X, y, X_err=X_err)
    assert np.array_equal(whole, again.log_density(X, y, X_err=X_err))
    assert np.array_equal(
        whole[100:130], panel.log_density(X[100:130], y[100:130], X_err=X_err[100:130])
    )
    panel.save(tmp_path / "panel.nimgp")
    loaded = load(tmp_path / "panel.nimgp")
    assert np.array_equal(whole, loaded.log_density(X, y, X_err=X_err))
    loaded.set_params(warm_start=True).fit(X, y, X_err=X_err)
    assert np.isfinite(loaded.log_density(X, y, X_err=X_err)).all()


@pytest.mark.parametrize("measured", [False, True])
def test_noise_that_varies_is_recovered(measured):
    """By a factor of 20 along x, with y's noise given back within 15 %; also where y is measured with errors up to as
    large, and they are told. (Then the same accuracy takes more rows.)"""
    rng = np.random.default_rng(3)
    rows = 8000 if measured else 4000
    x = rng.uniform(0, 1, rows)
    y_err = 0.02 * 20**x * rng.uniform(0.2, 1, rows) if measured else np.zeros(rows)
    y = np.sin(3 * x) + np.hypot(0.02 * 20**x, y_err) * rng.normal(size=rows)
    given = {"y_err": y_err} if measured else {}
    model = NoisyGPRegressor(epochs=20, random_state=0, n_jobs=1).fit(x[:, None], y, **given)
    place = np.linspace(0.05, 0.95, 10)
    _, std = model.predict(place[:, None], return_std=True)
    assert (abs(np.log(std / (0.02 * 20**place))) < np.log(1.15)).all()


def test_plain_model_where_noise_is_equal():
    rng = np.random.default_rng(4)
    x = rng.uniform(-3, 3, 400)
    y = np.sin(2 * x) + 0.1 * rng.normal(size=400)
    test = rng.uniform(-3, 3, 1000)
    truth = np.sin(2 * test) + 0.1 * rng.normal(size=1000)
    plain, panel = (
        NoisyGPRegressor(random_state=0, n_jobs=1, views=views).fit(x[:, None], y)
        for views in ("one", "auto")
    )
    lost = (
        plain.log_density(test[:, None], truth) - panel.log_density(test[:, None], truth)
    ).mean()
    assert lost < 0.005


def test_attenuation_of_slopes_is_undone():
    """Noise in the attributes flattens what is fitted to the measurements, by (S + N)^-1 S for normal true values with
    covariance S and errors with N on average. Told of errors that differ from row to row, correlated as they are, the
    mean function has the slopes of the truth."""
    rng = np.random.default_rng(6)
    slope, rows = np.array([-0.15, 3.0]), 2400
    inner = np.array([[1.0, 0.02], [0.02, 0.01]])
    noise = np.array([[0.3, -0.01], [-0.01, 0.004]])
    truth = rng.multivariate_normal([0, 0], inner, rows)
    factor = rng.uniform(0.2, 1.8, rows)
    X = truth + np.sqrt(factor)[:, None] * rng.multivariate_normal([0, 0], noise, rows)
    y = truth @ slope + 0.1 * rng.normal(size=rows)
    flattened = np.linalg.solve(inner + noise, inner @ slope)
    assert (abs(flattened / slope - 1) > 0.3).all()
    step = np.sqrt(np.diag(inner)) / 2
    found = []
    for given in ({"X_err": Errors(cov=factor[:, None, None] * noise)}, {}):
        model = NoisyGPRegressor(random_state=0, n_jobs=1).fit(X, y, **given)
        rise = [model.predict(truth[:100] + h, X_err=0.0) - model.predict(truth[:100] - h, X_err=0.0)
                for h in np.diag(step)]  # fmt: skip
        found.append(np.median(rise, axis=1) / (2 * step))
    told, blind = found
    assert (abs(told / slope - 1) < 0.1).all(), told
    assert (abs(blind / flattened - 1) < 0.15).all(), blind
