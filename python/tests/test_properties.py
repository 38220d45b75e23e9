# SPDX-License-Identifier: Apache-2.0
"""Laws that hold for whatever is passed in: shapes, types, orders, missing cells, kinds of labels."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from nimgp import NoisyGPClassifier, NoisyGPRegressor

# A busy machine is no fault: nothing here is timed.
settings.register_profile(
    "quick",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("quick")

QUICK = {"epochs": 2, "inducing": 4, "random_state": 0, "n_jobs": 1}
D = 2

# Halves: the same number in every type. Missing cells among them.
CELLS = st.integers(-40, 40).map(lambda i: i / 2) | st.just(np.nan)
TABLES = st.integers(1, 12).flatmap(lambda n: npst.arrays(np.float64, (n, D), elements=CELLS))
ERRORS = st.integers(0, 6).map(lambda i: i / 4) | st.just(np.nan)


@functools.cache
def learned(kind: str):
    source = np.random.RandomState(3)
    X = source.normal(size=(40, D))
    sigma = source.uniform(0.1, 0.5, X.shape)
    if kind == "numbers":
        return NoisyGPRegressor(**QUICK).fit(X, X[:, 0] ** 2, X_err=sigma)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    return NoisyGPClassifier(calibrate=False, **QUICK).fit(X, y, X_err=sigma)


def forms(X: np.ndarray) -> list:
    """The same table in other types and orders."""
    wide = np.zeros((2 * len(X), 2 * D))
    wide[::2, ::2] = X
    return [
        np.asfortranarray(X),
        wide[::2, ::2],
        X.astype(np.float32),
        X.astype(">f8"),
        X.astype(object),
        X.tolist(),
        np.ma.masked_invalid(X),
        pd.DataFrame(X),
    ]


@given(TABLES, st.data())
def test_form_does_not_matter(X, data):
    sigma = data.draw(npst.arrays(np.float64, X.shape, elements=ERRORS))
    clf, reg = learned("classes"), learned("numbers")
    p, mean = clf.predict_proba(X, X_err=sigma), reg.predict(X, X_err=sigma)
    assert p.shape == (len(X), 3) and np.isfinite(p).all() and np.isfinite(mean).all()
    assert np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
    for form, errors in zip(forms(X), forms(sigma), strict=True):
        assert np.array_equal(clf.predict_proba(form, X_err=errors), p), type(form)
        assert np.array_equal(reg.predict(form, X_err=errors), mean), type(form)


@given(TABLES, st.data())
def test_rows_are_on_their_own(X, data):
    """Whatever order rows come in, and with whom."""
    order = np.array(data.draw(st.permutations(range(len(X)))), dtype=int)
    cut = data.draw(st.integers(0, len(X)))
    clf = learned("classes")
    p = clf.predict_proba(X, X_err=0.25)
    assert np.array_equal(clf.predict_proba(X[order], X_err=0.25), p[order])
    parts = [clf.predict_proba(part, X_err=0.25) for part in (X[:cut], X[cut:]) if len(part)]
    assert np.array_equal(np.vstack(parts), p)


@given(
    npst.arrays(
        st.sampled_from([np.float64, np.int64, np.bool_, np.complex128, "U3", object, "M8[D]"]),
        npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    st.booleans(),
)
def test_any_array_is_answered_or_refused(array, as_error):
    """Finite probabilities, or a ValueError or TypeError that says why; nothing else."""
    clf, X = learned("classes"), np.zeros((3, D))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            p = clf.predict_proba(X, X_err=array) if as_error else clf.predict_proba(array, X_err=0.1)
        except (ValueError, TypeError) as error:
            assert str(error)
            return
    assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)


@given(
    npst.arrays(
        st.sampled_from([np.float64, np.int64, np.bool_, np.complex128, "U3", object, "M8[D]"]),
        st.sampled_from([(3,), (3,), (3,), (), (2,), (3, 1)]),
    ),
    st.booleans(),
)
def test_any_shares_are_taken_or_refused(shares, masked):
    """Probabilities that sum to one, or a ValueError or TypeError; a masked share is none."""
    clf, X = learned("classes"), np.zeros((2, D))
    given = np.ma.array(shares, mask=np.arange(shares.size).reshape(shares.shape) == 1) if masked else shares
    try:
        p = clf.predict_proba(X, X_err=0.1, prior=given)
    except (ValueError, TypeError) as error:
        assert str(error)
        return
    assert not masked and shares.dtype.kind not in "cM"
    assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize(
    "weights",
    [np.ma.array(np.ones(40), mask=np.arange(40) == 7), np.ones(40, dtype="M8[D]"), 1j * np.ones(40)],
)
def test_weights_are_plain_numbers(weights):
    with pytest.raises(ValueError):
        NoisyGPClassifier(**QUICK).fit(np.zeros((40, D)), np.arange(40) % 2, X_err=0.1, sample_weight=weights)


LABELS = {
    "text": ["a", "b", "ü"],
    "numbers": [-3, 0, 7],
    "floats": [-1.0, 1.0, 5.0],
    "truth": [False, True],
    "category": pd.Categorical(["x", "y", "z"]),
}


@pytest.mark.parametrize("kind", LABELS)
@settings(max_examples=8)
@given(st.lists(st.integers(0, 2), min_size=10, max_size=20), st.randoms(use_true_random=False))
def test_names_of_classes_do_not_matter(kind, numbers, source):
    """Labels of any kind, in order, learn as the numbers 0, 1, 2 do."""
    names = LABELS[kind]
    numbers = np.array(numbers) % len(names)
    numbers[:2] = 0, 1
    numbers = np.unique(numbers, return_inverse=True)[1]
    X = np.array([[source.gauss(k, 1), source.gauss(0, 1)] for k in numbers])
    y = names[numbers] if kind == "category" else np.array(names)[numbers]
    plain = NoisyGPClassifier(calibrate=False, **QUICK).fit(X, numbers, X_err=0.2)
    named = NoisyGPClassifier(calibrate=False, **QUICK).fit(X, y, X_err=0.2)
    assert list(named.classes_) == list(np.unique(np.asarray(y)))
    assert np.array_equal(named.predict_proba(X, X_err=0.2), plain.predict_proba(X, X_err=0.2))
    assert np.array_equal(named.predict(X, X_err=0.2), named.classes_[plain.predict(X, X_err=0.2)])


@settings(max_examples=15)
@given(
    npst.arrays(np.float64, (12, D), elements=CELLS),
    npst.arrays(np.float64, (12, D), elements=ERRORS),
)
def test_any_numbers_can_be_learned_from(X, sigma):
    """Missing and equal cells, zero errors: finite probabilities, or a complaint."""
    y = np.arange(12) % 2
    try:
        clf = NoisyGPClassifier(calibrate=False, **QUICK).fit(X, y, X_err=sigma)
    except ValueError as error:
        assert str(error)
        return
    assert np.isfinite(clf.predict_proba(X, X_err=sigma)).all()
