# SPDX-License-Identifier: Apache-2.0
"""What holds for every estimator, whatever it predicts."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix
from scipy.special import xlogy
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nimgp
from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
    mean_log_density,
)
from problems import ESTIMATORS, make_targets, predicted, uncalibrated

QUICK = {"epochs": 15, "points": 16, "random_state": 0, "n_jobs": 1}
LEARNED = ("lengthscales_", "noise_variance_", "relevance_", "elbo_", "n_iter_", "n_inducing_")
OWN = {
    NoisyGPClassifier: ("epsilon_",),
    NoisyGPOrdinalClassifier: ("thresholds_",),
    NoisyGPMultiLabelClassifier: ("map_", "offsets_"),
    NoisyGPRegressor: ("noise_deviation_",),
    NoisyGPCountRegressor: ("base_rate_",),
}

# Nothing that the library would choose for the data.
SETTLED = {"alpha": 0.5, "caution": 0.5, "lengthscale_prior": 2.0, "batch": 50, "samples": 2}


def quick(kind):
    return uncalibrated(kind, QUICK)


every = pytest.mark.parametrize("kind", ESTIMATORS)


@every
def test_copies_are_the_same(kind, tmp_path):
    X, y, sigma, _ = make_targets(kind)
    frame = pd.DataFrame(X, columns=["flux", "log(index)"])
    model = kind(
        "amortised", "both", "matern52", 9, options={"jitter": 1e-5}, **SETTLED, **quick(kind)
    ).fit(frame, y, X_err=sigma)
    assert clone(model).get_params() == model.get_params()
    model.save(tmp_path / "m")
    before = predicted(model, frame, sigma)
    for copy in (pickle.loads(pickle.dumps(model)), kind.load(tmp_path / "m"),
                 nimgp.load(tmp_path / "m")):  # fmt: skip
        assert type(copy) is kind
        assert np.array_equal(predicted(copy, frame, sigma), before)
        for name in LEARNED + OWN[kind]:
            assert np.array_equal(getattr(copy, name), getattr(model, name)), name
        assert copy.set_params(n_jobs=1).get_params() == model.get_params()
        assert copy.feature_names_in_.tolist() == ["flux", "log(index)"]
        density = copy.log_density(frame, y, X_err=sigma)
        assert np.array_equal(density, model.log_density(frame, y, X_err=sigma))
        where = copy.denoise(frame, y, X_err=sigma)
        assert np.array_equal(where.mean, model.denoise(frame, y, X_err=sigma).mean)
        assert where.mean.shape == X.shape and (where.std > 0).all()
    nimgp.load(tmp_path / "m").save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


@every
def test_files_of_another_kind_are_refused(kind, tmp_path):
    X, y, _, _ = make_targets(kind)
    kind(**{**quick(kind), "epochs": 2}).fit(X, y).save(tmp_path / "m")
    for other in ESTIMATORS:
        if other is not kind:
            message = rf"m: its likelihood is \w+, so it is for {kind.__name__}, not"
            with pytest.raises(ValueError, match=message):
                other.load(tmp_path / "m")


@every
def test_adding_rows_is_a_warm_start(kind):
    X, y, sigma, _ = make_targets(kind)
    model = kind(**quick(kind)).fit(X[:80], y[:80])
    model.partial_fit(X[80:], y[80:], X_err=sigma[80:], sample_weight=np.full(40, 2.0))
    other = kind(warm_start=True, **quick(kind)).fit(X[:80], y[:80])
    errors = np.concatenate([np.zeros((80, 2)), sigma[80:]])
    other.fit(X, y, X_err=errors, sample_weight=np.repeat([1.0, 2.0], [80, 40]))
    assert model.n_iter_ == 30
    assert np.array_equal(predicted(model, X, sigma), predicted(other, X, sigma))


@every
def test_stopped_training_goes_on_to_the_same_bits(kind):
    X, y, sigma, _ = make_targets(kind)
    whole = kind(**quick(kind)).fit(X, y, X_err=sigma)
    model = kind(progress=lambda p: p.epoch == 7, warm_start=True, **quick(kind)).fit(X, y, X_err=sigma)
    assert model.n_iter_ == 7
    model.set_params(progress=False).fit(X, y, X_err=sigma)
    assert np.array_equal(predicted(model, X, sigma), predicted(whole, X, sigma))


@every
def test_many_rows_are_predicted_as_few(kind):
    """Rows go to the library in portions, and what they are with them."""
    X, y, sigma, _ = make_targets(kind)
    model = kind(**{**quick(kind), "points": 2}).fit(X, y, X_err=sigma)
    many = np.arange(2100) % 120
    assert np.array_equal(predicted(model, X[many], sigma[many]), predicted(model, X, sigma)[many])
    density = model.log_density(X[many], y[many], X_err=sigma[0])
    assert np.array_equal(density, model.log_density(X, y, X_err=sigma[0])[many])


@every
def test_the_density_is_of_the_predicted_distribution(kind):
    X, y, sigma, _ = make_targets(kind)
    model = kind(**quick(kind)).fit(X, y, X_err=sigma)
    density = model.log_density(X, y, X_err=sigma)
    assert density.shape == (120,) and np.isfinite(density).all()
    if kind in (NoisyGPClassifier, NoisyGPOrdinalClassifier):
        p = model.predict_proba(X, X_err=sigma)
        own = p[np.arange(120), np.searchsorted(model.classes_, y)]
        assert np.allclose(density, np.log(own), rtol=1e-10)
    assert mean_log_density(model, X, y, X_err=sigma) == density.mean()
    half = np.repeat([1.0, 0.0], 60)
    score = mean_log_density(model, X, y, X_err=sigma, sample_weight=half)
    assert np.isclose(score, density[:60].mean())


@every
def test_errors_are_routed(kind):
    X, y, sigma, _ = make_targets(kind)
    halves = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    same = StandardScaler(with_mean=False, with_std=False)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(same, kind(**quick(kind)))
        for scoring in (None, mean_log_density):
            scores = cross_val_score(
                pipe, X, y, cv=halves, params={"X_err": sigma}, scoring=scoring
            )
            for (train, test), score in zip(halves, scores, strict=True):
                model = kind(**quick(kind)).fit(X[train], y[train], X_err=sigma[train])
                if scoring is None:
                    wanted = model.score(X[test], y[test], X_err=sigma[test])
                else:
                    wanted = model.log_density(X[test], y[test], X_err=sigma[test]).mean()
                assert np.isclose(score, wanted, rtol=1e-12)
        search = GridSearchCV(kind(**quick(kind)), {"inducing": [5, 20]}, cv=halves,
                              scoring=mean_log_density)  # fmt: skip
        search.fit(X, y, X_err=sigma)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert len(search.best_estimator_.predict(X, X_err=sigma)) == 120
    assert repr(mean_log_density) == "nimgp.mean_log_density"
    assert pickle.loads(pickle.dumps(mean_log_density)) is mean_log_density


@every
def test_forgotten_errors_and_no_fit(kind):
    X, y, sigma, _ = make_targets(kind)
    for call in (kind().predict, lambda X: kind().denoise(X, y), lambda X: kind().save("nowhere"),
                 lambda X: kind().log_density(X, y)):  # fmt: skip
        with pytest.raises(NotFittedError):
            call(X)
    model = kind(**quick(kind)).fit(X, y, X_err=sigma)
    with pytest.warns(UserWarning, match="X_err is None: the values are taken to be exact"):
        forgotten = model.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(model.predict(X, X_err=0), forgotten)


@every
def test_attributes(kind):
    X, y, sigma, _ = make_targets(kind)
    model = kind("latent", "both", inducing=7, **quick(kind)).fit(X, y, X_err=sigma)
    functions = {NoisyGPClassifier: 2, NoisyGPMultiLabelClassifier: 3}.get(kind, 1)
    assert model.n_features_in_ == 2 and model.n_inducing_ == 7 and model.n_iter_ == 15
    assert model.lengthscales_.shape == (functions, 2) and (model.lengthscales_ > 0).all()
    assert (model.noise_variance_ > 0).all() and model.relevance_.max() == 1.0
    assert model.history_.shape == (15, 2) and model.history_[-1, 1] == model.elbo_
    for name in OWN[kind]:
        assert np.isfinite(getattr(model, name)).all()


def test_likelihoods_are_those_of_the_estimator():
    X, y, _, _ = make_targets(NoisyGPRegressor)
    with pytest.raises(ValueError, match="likelihood='poisson' is not one of gaussian, student_t"):
        NoisyGPRegressor(likelihood="poisson").fit(X, y)
    with pytest.raises(ValueError, match="'gaussian' is not one of robust_max, softmax, probit"):
        NoisyGPClassifier(likelihood="gaussian").fit(X, y > 0)
    model = NoisyGPRegressor(epochs=2).fit(X, y)
    assert hasattr(model, "noise_deviation_") and not hasattr(model, "scale_")
    model.set_params(likelihood="student_t").fit(X, y)
    assert model.scale_ > 0 and model.freedom_ > 0 and not hasattr(model, "noise_deviation_")


@pytest.mark.parametrize("likelihood", ["softmax", "probit"])
def test_other_classifiers(likelihood, tmp_path):
    X, y, sigma, truth = make_targets(NoisyGPClassifier, 200)
    clf = NoisyGPClassifier(
        likelihood=likelihood, kernel="matern32", epochs=100, rate=0.1, points=64,
        calibrate=False, random_state=0,
    )
    p = clf.fit(X, y, X_err=sigma).predict_proba(X, X_err=sigma)
    assert np.allclose(p.sum(axis=1), 1) and (p > 0).all()
    assert clf.score(X, y, X_err=sigma) > 0.8 and not hasattr(clf, "epsilon_")
    parts = clf.uncertainty(X, X_err=sigma)
    assert np.allclose(parts.total, -(p * np.log(p)).sum(axis=1), atol=1e-9)
    assert clf.remeasure(X[:5], X_err=sigma[:5]).shape == (5, 2)
    assert clf.lengthscales_.shape == ({"softmax": 2, "probit": 1}[likelihood], 2)
    if likelihood == "probit":
        with pytest.raises(ValueError, match="probit is for 2 classes, there are 3"):
            clf.fit(X, np.digitize(truth[:, 0], [-1, 1]), X_err=sigma)
        assert np.array_equal(clf.predict_proba(X, X_err=sigma), p)


# ---------------------------------------------------------------------- ordered classes


def test_levels_are_in_order():
    X, number, sigma, truth = make_targets(NoisyGPOrdinalClassifier, 200)
    settings = {"epochs": 100, "rate": 0.1, "points": 64, "random_state": 0,
                "calibrate": False}  # fmt: skip
    model = NoisyGPOrdinalClassifier(**settings).fit(X, number, X_err=sigma)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.thresholds_.shape == (3,) and (np.diff(model.thresholds_) > 0).all()
    p = model.predict_proba(X, X_err=sigma)
    assert np.allclose(p.sum(axis=1), 1) and (p > 0).all()
    assert model.score(X, number, X_err=sigma) > 0.7
    # Along the way up, every P(level <= k) falls.
    way = np.column_stack([np.zeros(40), np.linspace(-1.5, 1.5, 40)])
    below = model.predict_proba(way, X_err=0).cumsum(axis=1)[:, :3]
    assert (np.diff(below, axis=0) < 1e-9).all()
    # Names of levels are but names.
    names = np.array(["none", "little", "more", "all"])
    named = NoisyGPOrdinalClassifier(classes=names.tolist(), **settings).fit(X, names[number], X_err=sigma)
    assert np.array_equal(named.predict_proba(X, X_err=sigma), p)
    assert named.predict(X, X_err=sigma).tolist() == names[model.predict(X, X_err=sigma)].tolist()


def test_levels_listed_by_the_user(tmp_path):
    X, number, sigma, _ = make_targets(NoisyGPOrdinalClassifier)
    names = np.array(["none", "little", "more", "all"])
    model = NoisyGPOrdinalClassifier(classes=names, **quick(NoisyGPOrdinalClassifier)).fit(X, names[number])
    assert model.classes_.tolist() == names.tolist()
    model.save(tmp_path / "m")
    back = NoisyGPOrdinalClassifier.load(tmp_path / "m")
    assert back.classes_.tolist() == names.tolist() == back.classes
    model.partial_fit(X, names[number], classes=names)
    with pytest.raises(ValueError, match="differ from those of the first call"):
        model.partial_fit(X, names[number], classes=sorted(names))
    with pytest.raises(ValueError, match="y: row 0: label .* is not one of the classes"):
        NoisyGPOrdinalClassifier(classes=["a", "b"]).fit(X, names[number])
    with pytest.raises(ValueError, match="y: no row has the level 'most'; every level needs one"):
        NoisyGPOrdinalClassifier(classes=[*names, "most"]).fit(X, names[number])
    with pytest.raises(ValueError, match="not levels that differ"):
        NoisyGPOrdinalClassifier(classes=["a", "a"]).fit(X, names[number])
    with pytest.raises(ValueError, match="only one class"):
        NoisyGPOrdinalClassifier().fit(X, np.zeros(120))


def test_the_order_of_levels():
    X, number, _, _ = make_targets(NoisyGPOrdinalClassifier)
    names = np.array(["none", "few", "many", "all"])
    listed = NoisyGPOrdinalClassifier(classes=names, **quick(NoisyGPOrdinalClassifier)).fit(X, names[number])
    for y in (names[number], names[number].astype(object), pd.Series(names[number])):
        with pytest.raises(ValueError, match=r"have no order; list all .*classes=\["):
            NoisyGPOrdinalClassifier(**quick(NoisyGPOrdinalClassifier)).fit(X, y)
    with pytest.raises(ValueError, match="which have no order; list all"):
        NoisyGPOrdinalClassifier(**quick(NoisyGPOrdinalClassifier)).fit(X, pd.Categorical(names[number]))
    ordered = pd.Categorical(names[number], categories=[*names, "never"], ordered=True)
    for y in (ordered, pd.Series(ordered)):
        model = NoisyGPOrdinalClassifier(**quick(NoisyGPOrdinalClassifier)).fit(X, y)
        assert model.classes_.tolist() == names.tolist()
        assert np.array_equal(model.predict_proba(X), listed.predict_proba(X))
    halves = NoisyGPOrdinalClassifier(**quick(NoisyGPOrdinalClassifier)).fit(X, number + 0.5)
    assert halves.classes_.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert np.array_equal(halves.predict_proba(X), listed.predict_proba(X))
    assert halves.score(X, number + 0.5) == listed.score(X, names[number])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        NoisyGPOrdinalClassifier(**quick(NoisyGPOrdinalClassifier)).fit(X, X[:, 0])


# ---------------------------------------------------------------------- sets of labels


def test_sets_of_labels(tmp_path):
    X, y, sigma, _ = make_targets(NoisyGPMultiLabelClassifier, 200)
    assert (y.sum(axis=1) == 0).any()  # rows without a label
    model = NoisyGPMultiLabelClassifier(
        functions=2, epochs=100, rate=0.1, points=64, random_state=0
    ).fit(X, y, X_err=sigma)
    p = model.predict_proba(X, X_err=sigma)
    assert p.shape == y.shape and ((p >= 0) & (p <= 1)).all()
    assert np.array_equal(model.predict(X, X_err=sigma), (p > 0.5).astype(int))
    right = (model.predict(X, X_err=sigma) == y).all(axis=1).mean()
    assert model.score(X, y, X_err=sigma) == right > 0.6
    assert model.map_.shape == (3, 2) and model.offsets_.shape == (3,)
    parts = model.uncertainty(X, X_err=sigma)
    entropy = -(xlogy(p, p) + xlogy(1 - p, 1 - p)).sum(axis=1)
    assert np.allclose(parts.total, entropy, atol=1e-8)
    assert len(model.suggest(X, 7, X_err=sigma)) == 7


def test_labels_in_every_form(tmp_path):
    X, y, sigma, _ = make_targets(NoisyGPMultiLabelClassifier)
    model = NoisyGPMultiLabelClassifier(**QUICK).fit(X, y, X_err=sigma)
    assert model.classes_.tolist() == [0, 1, 2]
    wanted = model.predict_proba(X, X_err=sigma)
    frame = pd.DataFrame(y, columns=["hot", "red", "near"])
    for form in (y.astype(bool), y.astype(float), y.tolist(), csr_matrix(y), frame):
        assert np.array_equal(model.fit(X, form, X_err=sigma).predict_proba(X, X_err=sigma), wanted)
        assert model.score(X, form, X_err=sigma) == model.score(X, y, X_err=sigma)
    assert model.classes_.tolist() == ["hot", "red", "near"]
    model.save(tmp_path / "m")
    assert nimgp.load(tmp_path / "m").classes_.tolist() == ["hot", "red", "near"]
    one = NoisyGPMultiLabelClassifier(**QUICK).fit(X, y[:, :1], X_err=sigma)
    assert one.predict(X, X_err=sigma).shape == (120, 1)
    never = NoisyGPMultiLabelClassifier(**QUICK).fit(X, np.zeros_like(y), X_err=sigma)
    assert (never.predict_proba(X, X_err=sigma) < 0.5).all()
