# SPDX-License-Identifier: Apache-2.0
"""What is left to the library, and what of it can be set: inputs, divergence, population, gaps."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from nimgp import NoisyGPClassifier, NoisyGPOrdinalClassifier, NoisyGPRegressor
from problems import ESTIMATORS, make_problem, make_targets, predicted, uncalibrated

QUICK = {"epochs": 3, "points": 16, "random_state": 0, "n_jobs": 1}
CALIBRATED = [NoisyGPClassifier, NoisyGPOrdinalClassifier]


def fitted(kind, rows=60, errors=True, **settings):
    X, y, sigma, _ = make_targets(kind, rows)
    return kind(**{**uncalibrated(kind, QUICK), **settings}).fit(X, y, X_err=sigma if errors else None)


def chosen(estimator, *names):
    return tuple(estimator._model.option(name) for name in names)


def chosen_for_data(kind, *names):
    """If each row has errors of its own; if inputs are exact; if noise is learned."""
    return tuple(
        chosen(fitted(kind, errors=errors, noise=noise), *names)
        for errors, noise in ((True, "given"), (False, "given"), (True, "learned"))
    )


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_library_chooses_for_the_data(kind):
    found = chosen_for_data(kind, "input", "alpha", "caution", "samples", "batch")
    latent = ("latent", "0.7", "1", "4", "200")
    learned = ("marginal", "0.8", "1", "16", "50")
    wanted = {
        "class": (("marginal", "1", "0.45", "8", "50"), ("exact", "0.5", "1", "1", "200"), learned),
        "level": (("marginal", "0.7", "0.45", "8", "50"), ("exact", "0.7", "0.3", "1", "200"), learned),
        "labels": (("marginal", "1", "0.45", "8", "50"), ("exact", "1", "0.3", "1", "200"),
                   ("latent", "0", "1", "1", "200")),
        "number": (latent, ("exact", "0", "1", "1", "200"), latent),
        "count": (latent, ("exact", "0", "1", "1", "200"), latent),
    }  # fmt: skip
    assert found == wanted[kind._target]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_library_chooses_the_kernel(kind):
    found = chosen_for_data(kind, "kernel", "lengthscale_prior")
    rough, curve = ("matern32", "0.5"), ("matern52", "0")
    wanted = {
        "class": (("linear+matern32", "0.5"), rough, rough),
        "level": (("linear+matern32", "0.5"), rough, rough),
        "labels": (("linear+matern32", "0.5"), rough, ("se", "0")),
        "number": (curve, ("se", "0"), curve),
        "count": (curve, ("se", "0"), curve),
    }
    assert found == wanted[kind._target]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_what_is_set_reaches_the_model(kind):
    model = fitted(
        kind, input="marginal", alpha=0.25, caution=0.75, lengthscale_prior=2,
        population="mixture", missing="ignore", batch=17, samples=3,
    )  # fmt: skip
    names = ("input", "alpha", "caution", "lengthscale_prior", "population", "missing", "batch")
    wanted = ("marginal", "0.25", "0.75", "2", "mixture", "ignore", "17")
    assert chosen(model, *names) == wanted and chosen(model, "samples") == ("3",)
    assert chosen(fitted(kind, alpha=0), "alpha", "caution") == ("0", "1")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"alpha": 1.5}, "option alpha: '1.5' is neither auto nor a number in 0 .. 1"),
        ({"alpha": -0.5}, "option alpha: '-0.5' is neither auto nor a number"),
        ({"caution": 2}, "option caution: '2' is neither auto nor a number in 0.001 .. 1"),
        ({"population": "small"}, "option population: 'small' is not one of auto"),
        ({"missing": "drop"}, "option missing: 'drop' is not one of auto"),
        ({"calibrate": 2}, "option calibrate: '2' is not one of auto"),
        ({"calibrate": None}, "option calibrate: 'None' is not one of auto"),
        ({"population": "gaussian", "noise": "both"}, "gaussian needs given errors"),
    ],
)
def test_wrong_choices_are_told(wrong, told):
    with pytest.raises(ValueError, match=told):
        fitted(NoisyGPClassifier, **wrong)


def test_choices_matter():
    """Each of them leads elsewhere than the default."""
    X, _, sigma, _ = make_targets(NoisyGPClassifier, 60)
    plain = fitted(NoisyGPClassifier).predict_proba(X, X_err=sigma)
    for other in ({"alpha": 0.5}, {"caution": 1}, {"lengthscale_prior": 0.1},
                  {"population": "flat"}, {"samples": 2}, {"batch": 20},
                  {"input": "latent"}):  # fmt: skip
        assert not np.array_equal(fitted(NoisyGPClassifier, **other).predict_proba(X, X_err=sigma), plain)
    spelled = {"input": "marginal", "alpha": 1, "caution": 0.45, "samples": 8,
               "batch": 50, "kernel": "linear+matern32"}  # fmt: skip
    assert np.array_equal(fitted(NoisyGPClassifier, **spelled).predict_proba(X, X_err=sigma), plain)


# ---------------------------------------------------------------------- calibration


@pytest.mark.parametrize("kind", CALIBRATED)
def test_calibration_is_a_power_of_the_probabilities(kind):
    X, y, sigma, _ = make_targets(kind, 60)
    with_it, without = (fitted(kind, calibrate=choice) for choice in (True, False))
    assert without.temperature_ == 1.0 != with_it.temperature_ > 0
    p = without.predict_proba(X, X_err=sigma) ** (1 / with_it.temperature_)
    assert without.calibration_offsets_.size == 0
    p *= np.exp(with_it.calibration_offsets_)
    found = with_it.predict_proba(X, X_err=sigma)
    assert np.allclose(found, p / p.sum(axis=1, keepdims=True), rtol=1e-9)
    own = found[np.arange(60), np.searchsorted(with_it.classes_, y)]
    assert np.allclose(with_it.log_density(X, y, X_err=sigma), np.log(own), rtol=1e-9)


def test_only_classes_and_levels_are_calibrated():
    """Of numbers and counts rows are held out for intervals; of sets of labels for nothing."""
    for kind in ESTIMATORS:
        numbers = hasattr(kind, "predict_interval")
        assert ("calibrate" in kind().get_params()) == (kind in CALIBRATED or numbers)
        model = fitted(kind)  # with calibrate=False
        assert hasattr(model, "temperature_") == (kind in CALIBRATED)
        if numbers:
            with pytest.raises(ValueError, match="cannot compute intervals"):
                model.predict_interval([[0.0, 0.0]], X_err=0.1)


# ---------------------------------------------------------------------- missing cells


def with_gaps(rows=60):
    X, y, sigma, truth = make_problem(rows)
    X[::4, 1] = np.nan
    return X, y, sigma, truth


def test_the_model_sees_which_cells_are_missing():
    X, y, sigma, _ = with_gaps()
    models = {
        choice: NoisyGPClassifier(missing=choice, calibrate=False, **QUICK).fit(X, y, X_err=sigma)
        for choice in ("auto", "ignore")
    }
    for choice, model in models.items():
        columns = model._model.get("missing_columns")
        assert columns.tolist() == ([1.0] if choice == "auto" else [])
        assert len(model._model.get("missing_relevance")) == len(columns)
        assert model.n_features_in_ == 2 and model.lengthscales_.shape == (3, 2, 2)
        p = model.predict_proba(X, X_err=sigma)
        assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)
        assert model.remeasure(X[:4], X_err=sigma[:4]).shape == (4, 2)
        masked = np.ma.masked_invalid(X)
        assert np.array_equal(model.predict_proba(masked, X_err=sigma), p)
    answers = [model.predict_proba(X, X_err=sigma) for model in models.values()]
    assert not np.array_equal(*answers)
    # Gaps that training did not see are no trouble, nor are gaps without errors.
    assert np.isfinite(models["auto"].predict_proba([[np.nan, 0.0], [np.nan, np.nan]], X_err=0)).all()


def test_gaps_among_exact_values_are_noisy():
    X, y, _, _ = with_gaps()
    model = NoisyGPClassifier(calibrate=False, **QUICK).fit(X, y)
    assert chosen(model, "input") == ("marginal",)
    assert np.isfinite(model.predict_proba(X)).all()


# ---------------------------------------------------------------------- population


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_equally_noisy_rows_have_a_wide_population_with_marginal_inputs(kind):
    X, y, _, _ = make_targets(kind, 60)
    model = kind(**uncalibrated(kind, QUICK)).fit(X, y, X_err=0.3)
    marginal = kind._target in ("class", "level", "labels")
    assert chosen(model, "input", "population") == (("marginal", "wide") if marginal else ("latent", "flat"))
    assert (len(model.population_.shares) > 0) == marginal
    for changes, X_err in (({}, None), ({"noise": "learned"}, 0.3), ({"input": "latent"}, 0.3)):
        flat = kind(**uncalibrated(kind, QUICK), **changes).fit(X, y, X_err=X_err)
        assert len(flat.population_.shares) == 0
    more = np.c_[X, np.random.default_rng(0).normal(size=(60, 11))]
    for rows, columns in ((39, 2), (60, 13)):  # too few to learn one
        flat = kind(**uncalibrated(kind, QUICK)).fit(more[:rows, :columns], y[:rows], X_err=0.3)
        assert len(flat.population_.shares) == 0
    assert (len(kind(**uncalibrated(kind, QUICK)).fit(more[:, :12], y, X_err=0.3).population_.shares) > 0) == marginal


def test_wide_population_is_the_mixture_widened():
    """And novelty, which the widening must not hide, is that of the mixture."""
    X, y, _, _ = make_problem(150, seed=3)
    wide, mixture = (
        NoisyGPClassifier(population=population, calibrate=False, **QUICK).fit(X, y, X_err=0.3)
        for population in ("wide", "mixture")
    )
    assert np.array_equal(wide.population_.shares, mixture.population_.shares)
    assert np.array_equal(wide.population_.means, mixture.population_.means)
    assert np.allclose(wide.population_.covariances, 4 * mixture.population_.covariances, rtol=1e-12)
    new = np.r_[X[:20], X[:5] + 3]
    assert np.array_equal(wide.novelty(new, X_err=0.3), mixture.novelty(new, X_err=0.3))
    assert np.array_equal(wide.input_log_density(new, X_err=0.3), mixture.input_log_density(new, X_err=0.3))
    copy = pickle.loads(pickle.dumps(wide))
    assert np.array_equal(copy.novelty(new, X_err=0.3), wide.novelty(new, X_err=0.3))


def test_wide_population_uses_what_attributes_have_in_common():
    """Ten noisy measurements of two quantities, of which the first decides: the average is known."""
    rng = np.random.default_rng(11)
    quantities = rng.normal(size=(1300, 2))
    X = quantities @ rng.normal(size=(2, 10)) + rng.normal(size=(1300, 10))
    y = (quantities[:, 0] > 0).astype(int)
    loss = {}
    for population in ("auto", "flat"):
        model = NoisyGPClassifier(population=population, random_state=0, n_jobs=1)
        p = model.fit(X[:300], y[:300], X_err=1.0).predict_proba(X[300:], X_err=1.0)
        loss[population] = -np.log(p[np.arange(1000), y[300:]]).mean()
    assert loss["auto"] < loss["flat"] - 0.01


@pytest.mark.parametrize("errors", [0.3, [0.3, 0.2]])
def test_equally_noisy_rows_can_be_added(errors):
    X, y, _, _ = make_problem(150, seed=3)
    model = NoisyGPClassifier(calibrate=False, **QUICK).fit(X[:100], y[:100], X_err=errors)
    before = model.population_.covariances
    model.partial_fit(X[100:], y[100:], X_err=errors)
    assert chosen(model, "population") == ("wide",)
    assert np.array_equal(model.population_.covariances, before)
    assert np.isfinite(model.predict_proba(X, X_err=errors)).all()


# ---------------------------------------------------------------------- copies


@pytest.mark.parametrize("population", ["auto", "gaussian", "mixture", "wide"])
def test_copies_predict_the_same_with_all_that_is_learned(population, tmp_path):
    X, y, sigma, _ = with_gaps()
    clf = NoisyGPClassifier(population=population, **QUICK).fit(X, y, X_err=sigma)
    assert clf.temperature_ != 1
    flat = clone(clf).set_params(population="flat", calibrate=False).fit(X, y, X_err=sigma)
    before, where = clf.predict_proba(X, X_err=sigma), clf.denoise(X, y, X_err=sigma)
    assert not np.array_equal(flat.denoise(X, y, X_err=sigma).mean, where.mean)  # so it was learned
    clf.save(tmp_path / "m")
    for copy in (pickle.loads(pickle.dumps(clf)), NoisyGPClassifier.load(tmp_path / "m")):
        assert copy.temperature_ == clf.temperature_
        assert np.array_equal(copy.predict_proba(X, X_err=sigma), before)
        assert np.array_equal(copy.denoise(X, y, X_err=sigma).mean, where.mean)
        assert np.array_equal(copy.remeasure(X[:3], X_err=sigma[:3]), clf.remeasure(X[:3], X_err=sigma[:3]))
    again = clone(copy).fit(X, y, X_err=sigma)
    assert np.array_equal(again.predict_proba(X, X_err=sigma), before)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_all_questions_are_answered_with_marginal_inputs(kind):
    X, y, sigma, _ = make_targets(kind, 60)
    model = fitted(kind, input="marginal", population="gaussian")
    assert np.isfinite(predicted(model, X, sigma)).all()
    where = model.denoise(X, y, X_err=sigma)
    # A Gaussian population can only sharpen a measurement.
    assert where.mean.shape == X.shape and (where.std > 0).all()
    assert (where.std < sigma).all()
    # Nothing is kept for each row: any rows will do.
    new = make_targets(kind, 90, seed=5)
    assert model.denoise(new.X, new.y, X_err=new.sigma).mean.shape == (90, 2)
    if hasattr(model, "uncertainty"):
        parts = model.uncertainty(X, X_err=sigma)
        assert np.allclose(parts.total, parts.measurement + parts.rest, atol=1e-9)
        assert (model.remeasure(X[:3], X_err=sigma[:3]) >= 0).all()


def test_defaults_of_numbers():
    """The defaults of numbers, spelled out."""
    X, _, sigma, _ = make_targets(NoisyGPRegressor, 60)
    spelled = {"input": "latent", "kernel": "matern52", "alpha": 0.7, "caution": 1, "samples": 4,
               "batch": 200}  # fmt: skip
    one, other = (fitted(NoisyGPRegressor, **settings) for settings in ({}, spelled))
    assert np.array_equal(predicted(one, X, sigma), predicted(other, X, sigma))


def test_options_for_research_are_a_dictionary():
    X, y, sigma, _ = make_targets(NoisyGPClassifier, 60)
    plain = fitted(NoisyGPClassifier)
    model = fitted(NoisyGPClassifier, options={"whiten": False, "jitter": 1e-5})
    assert chosen(model, "whiten", "jitter") == ("0", "1e-05")
    assert not np.array_equal(model.predict_proba(X, X_err=sigma), plain.predict_proba(X, X_err=sigma))
    for wrong, told in (({"whitn": 0}, "'whitn': there is no such option"), ({"kernel": "se"}, "kernel is a parameter"),
                        ({"seed": 3}, "random_state is a parameter"), ({"whiten": 2}, "'2' is not 0 or 1")):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            fitted(NoisyGPClassifier, options=wrong)


def test_a_parameter_without_effect_is_told():
    with pytest.warns(UserWarning, match="^degree has no effect: the kernel is not polynomial$"):
        fitted(NoisyGPClassifier, degree=5)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".* has no effect")
        fitted(NoisyGPClassifier, kernel="polynomial", degree=2)
