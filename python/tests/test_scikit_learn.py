# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's conventions."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
    neg_log_loss,
)

QUICK = {"epochs": 20, "calibrate": False, "random_state": 0, "n_jobs": 1}

NOT_TO_THE_DIGIT = {
    "check_sample_weight_equivalence_on_dense_data": (
        "A weight multiplies a row's share of the bound, so the optimum is that of repeated rows. "
        "But minibatches, their noise and the first inducing inputs are drawn from the rows there "
        "are, so a training is not the same to seven digits. "
        "test_weights_are_repetitions compares where training ends."
    )
}

TEXTS_HAVE_NO_ORDER = {
    "check_classifiers_classes": (
        "It fits texts without saying their order, which is refused. test_the_order_of_levels has "
        "texts as levels."
    )
}


def expected_failures(estimator):
    ordered = isinstance(estimator, NoisyGPOrdinalClassifier)
    return NOT_TO_THE_DIGIT | (TEXTS_HAVE_NO_ORDER if ordered else {})


class RoundedCounts(NoisyGPCountRegressor):
    """Takes any numbers for y, as scikit-learn's checks do: there are none for counts."""

    def fit(self, X, y, *, X_err=None, sample_weight=None, exposure=None):
        return super().fit(X, _rounded(y), X_err=X_err, sample_weight=sample_weight, exposure=exposure)

    def partial_fit(self, X, y, *, X_err=None, sample_weight=None, exposure=None):
        return super().partial_fit(X, _rounded(y), X_err=X_err, sample_weight=sample_weight, exposure=exposure)


def _rounded(y):
    numbers = np.asarray(y)
    return np.round(numbers) if numbers.dtype.kind in "iuf" else y


# Few epochs: the checks are about conventions, and all of them then take seconds. Some want a fair
# fit all the same, hence large steps where it takes more.
@parametrize_with_checks(
    [
        NoisyGPClassifier(epochs=20, calibrate=False),
        NoisyGPClassifier("first_order", "both", epochs=20, calibrate=False),
        NoisyGPClassifier(likelihood="probit", epochs=20, calibrate=False),
        NoisyGPOrdinalClassifier(epochs=20, rate=0.1, calibrate=False),
        NoisyGPRegressor(epochs=20),
        NoisyGPRegressor("first_order", "both", likelihood="student_t", epochs=20),
        RoundedCounts(epochs=60, rate=0.1),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Most checks give every row one class, which is not a set of labels. These do not.
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_classifiers_multilabel_output_format_predict,
        estimator_checks.check_classifiers_multilabel_output_format_predict_proba,
        estimator_checks.check_classifiers_multilabel_representation_invariance,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_sparse_tag,
        estimator_checks.check_estimators_unfitted,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learns_checks_of_sets_of_labels(check):
    check("NoisyGPMultiLabelClassifier", NoisyGPMultiLabelClassifier(epochs=5, points=16))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_repetitions(problem):
    X, y, sigma = (array[:60] for array in problem[:3])
    times = np.random.default_rng(0).integers(0, 4, size=len(y))
    # With alpha=1 two seeds end as far apart as weights and repetitions: there are many optima.
    clf = NoisyGPClassifier(
        "exact", inducing=15, alpha=0, epochs=1000, calibrate=False, random_state=0
    )
    weighted = clf.fit(X, y, X_err=sigma, sample_weight=times).predict_proba(X, X_err=sigma)
    more_X, more_y, more_sigma = (np.repeat(a, times, axis=0) for a in (X, y, sigma))
    repeated = clf.fit(more_X, more_y, X_err=more_sigma).predict_proba(X, X_err=sigma)
    plain = clf.fit(X, y, X_err=sigma).predict_proba(X, X_err=sigma)
    assert np.abs(weighted - repeated).mean() < 0.25 * np.abs(weighted - plain).mean()


def test_class_weights_are_sample_weights(problem):
    X, y, sigma, _ = problem
    weight = {"east": 5.0, "north": 1.0, "west": 0.5}
    by_class = NoisyGPClassifier(class_weight=weight, **QUICK).fit(X, y, X_err=sigma)
    each = np.array([weight[label] for label in y])
    by_row = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma, sample_weight=each)
    assert np.array_equal(by_class.predict_proba(X, X_err=sigma), by_row.predict_proba(X, X_err=sigma))
    half = NoisyGPClassifier(class_weight=weight, **QUICK).fit(
        X, y, X_err=sigma, sample_weight=0.5 * each
    )
    other = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma, sample_weight=0.5 * each**2)
    assert np.array_equal(half.predict_proba(X, X_err=sigma), other.predict_proba(X, X_err=sigma))
    counts = {label: len(y) / (3 * np.sum(y == label)) for label in weight}
    balanced = NoisyGPClassifier(class_weight="balanced", **QUICK).fit(X, y, X_err=sigma)
    spelled = NoisyGPClassifier(class_weight=counts, **QUICK).fit(X, y, X_err=sigma)
    assert np.array_equal(balanced.predict_proba(X, X_err=sigma), spelled.predict_proba(X, X_err=sigma))


def test_labels_of_any_kind(problem):
    X, y, sigma, _ = problem
    texts = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    assert texts.classes_.tolist() == ["east", "north", "west"]
    assert set(texts.predict(X, X_err=sigma)) <= set(y)
    number = np.unique(y, return_inverse=True)[1]
    for labels in (number, number * 10 - 5, number * 2.0, pd.Series(y), pd.Categorical(y), list(y),
                   y.astype(object), number == 1):  # fmt: skip
        clf = NoisyGPClassifier(**QUICK).fit(X, labels, X_err=sigma)
        assert clf.classes_.tolist() == sorted(set(labels))
        assert clf.predict(X, X_err=sigma).dtype == np.asarray(clf.classes_).dtype
        if len(clf.classes_) == 3:
            assert np.array_equal(clf.predict_proba(X, X_err=sigma), texts.predict_proba(X, X_err=sigma))


def test_clone_and_pickle(problem, tmp_path):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier("amortised", "both", **QUICK).fit(X, y, X_err=sigma)
    assert clone(clf).get_params() == clf.get_params()
    assert not hasattr(clone(clf), "classes_")
    joblib.dump(clf, tmp_path / "clf.joblib")
    for copy in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "clf.joblib")):
        assert np.array_equal(copy.predict_proba(X, X_err=sigma), clf.predict_proba(X, X_err=sigma))
        assert np.array_equal(copy.history_, clf.history_)
        assert copy.elbo_ == clf.elbo_
    copy.partial_fit(X[:5], y[:5], X_err=sigma[:5])
    clf.partial_fit(X[:5], y[:5], X_err=sigma[:5])
    assert np.array_equal(copy.predict_proba(X, X_err=sigma), clf.predict_proba(X, X_err=sigma))


def test_errors_go_through_a_pipeline(problem, routing):
    X, y, sigma, _ = problem
    pipe = Pipeline([("same", StandardScaler(with_mean=False, with_std=False)),
                     ("clf", NoisyGPClassifier(**QUICK))]).fit(X, y, X_err=sigma)  # fmt: skip
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    assert np.array_equal(pipe.predict_proba(X, X_err=sigma), clf.predict_proba(X, X_err=sigma))
    assert pipe.score(X, y, X_err=sigma) == clf.score(X, y, X_err=sigma)


def test_cross_validation_splits_the_errors_with_the_rows(problem, routing):
    X, y, sigma, _ = problem
    halves = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    clf = NoisyGPClassifier(**QUICK)
    for scoring in (None, neg_log_loss):
        scores = cross_val_score(clf, X, y, cv=halves, params={"X_err": sigma}, scoring=scoring)
        for (train, test), score in zip(halves, scores, strict=True):
            clf.fit(X[train], y[train], X_err=sigma[train])
            if scoring is None:
                assert score == clf.score(X[test], y[test], X_err=sigma[test])
            else:
                p = clf.predict_proba(X[test], X_err=sigma[test])
                number = np.searchsorted(clf.classes_, y[test])
                assert np.isclose(score, np.log(p[np.arange(60), number]).mean(), rtol=1e-12)


def test_grid_search_with_errors(problem, routing):
    X, y, sigma, _ = problem
    grid = {"kernel": ["se", "matern32"], "inducing": [5, 20]}
    search = GridSearchCV(NoisyGPClassifier(**QUICK), grid, cv=2, scoring=neg_log_loss, n_jobs=2)
    search.fit(X, y, X_err=sigma)
    assert set(search.best_params_) == set(grid)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.predict_proba(X, X_err=sigma).shape == (len(y), 3)


def test_errors_not_wanted_are_not_routed(problem, routing):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK).set_fit_request(X_err=False)
    pipe = make_pipeline(StandardScaler(), clf)
    with pytest.raises(TypeError, match="X_err"):
        pipe.fit(X, y, X_err=sigma)


def test_names_of_features(problem):
    frame = pd.DataFrame(problem.X, columns=["flux", "index"])
    pipe = make_pipeline(PolynomialFeatures(include_bias=False), NoisyGPClassifier(**QUICK))
    pipe.set_output(transform="pandas").fit(frame, problem.y)
    names = pipe[:-1].get_feature_names_out()
    assert pipe[-1].feature_names_in_.tolist() == names.tolist()
    clf = NoisyGPClassifier(**QUICK).fit(frame, problem.y)
    assert clf.feature_names_in_.tolist() == ["flux", "index"]
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["index", "flux"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        clf.predict(problem.X)


def test_random_state(problem):
    X, y, sigma, _ = problem

    def p(state):
        clf = NoisyGPClassifier(**{**QUICK, "random_state": state})
        return clf.fit(X, y, X_err=sigma).predict_proba(X, X_err=sigma)

    assert np.array_equal(p(3), p(3))
    assert not np.array_equal(p(3), p(4))
    assert np.array_equal(p(np.random.RandomState(1)), p(np.random.RandomState(1)))
    np.random.seed(5)
    first = p(None)
    second = p(None)
    np.random.seed(5)
    assert np.array_equal(p(None), first) and not np.array_equal(first, second)


def test_attributes(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier("latent", "both", inducing=7, **QUICK).fit(X, y, X_err=sigma)
    assert clf.n_features_in_ == 2 and clf.n_inducing_ == 7 and clf.n_iter_ == 20
    assert clf.lengthscales_.shape == (3, 2) and (clf.lengthscales_ > 0).all()
    assert clf.noise_variance_.shape == (2,) and (clf.noise_variance_ > 0).all()
    assert clf.relevance_.max() == 1.0 and clf.epsilon_ == pytest.approx(1e-3)
    assert clf.history_.shape == (20, 2)
    assert clf.history_[:, 0].tolist() == list(range(1, 21))
    assert clf.history_[-1, 1] == clf.elbo_
