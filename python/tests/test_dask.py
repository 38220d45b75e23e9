# SPDX-License-Identifier: Apache-2.0
"""Predictions of Dask arrays and frames by a cluster of processes."""

import numpy as np
import pytest

from nimgp import NoisyGPClassifier

dask = pytest.importorskip("dask", reason="Dask is not installed: its collections are not tested")
distributed = pytest.importorskip("distributed", reason="no distributed: Dask is not tested")
import dask.array as da  # noqa: E402

ROWS = 103


@pytest.fixture(scope="module")
def fitted():
    source = np.random.default_rng(3)
    y = source.integers(0, 3, ROWS)
    X = source.normal(size=(ROWS, 2)) + 2.0 * np.array([[0, 1], [1, -1], [-1, -1]])[y]
    X_err = source.uniform(0.1, 0.6, X.shape)
    names = np.array(["a", "b", "c"])
    model = NoisyGPClassifier(
        inducing=8, epochs=3, stop="fixed", points=16, calibrate=False, random_state=0, n_jobs=1
    ).fit(X, names[y], X_err=X_err)
    return model, X, X_err


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def test_arrays(fitted, cluster):
    """The same numbers as at once, in any chunks, with any kind of errors; nothing is computed before
    it is asked for."""
    model, X, X_err = fitted
    for chunks in [(10, 2), (50, 1), (ROWS, 2)]:
        lazy = model.predict_proba(
            da.from_array(X, chunks=chunks), X_err=da.from_array(X_err, chunks=(40, 1))
        )
        assert isinstance(lazy, da.Array) and lazy.shape == (ROWS, 3)
        assert np.array_equal(lazy.compute(), model.predict_proba(X, X_err=X_err))
    x = da.from_array(X, chunks=(30, 2))
    for errors in (X_err, 0.2, np.array([0.1, 0.3])):
        assert np.array_equal(model.predict_proba(x, X_err=errors).compute(), model.predict_proba(X, X_err=errors))
    assert np.array_equal(model.predict(x, X_err=X_err).compute(), model.predict(X, X_err=X_err))


def test_the_model_is_sent_once(fitted):
    model, X, X_err = fitted
    lazy = model.predict_proba(da.from_array(X, chunks=(10, 2)), X_err=0.2)
    holders = [key for key in lazy.__dask_graph__() if "NoisyGPClassifier" in str(key)]
    assert len(holders) == 1


def test_frames(fitted, cluster):
    frames = pytest.importorskip("dask.dataframe", reason="no Dask frames here (they need pyarrow)")
    import pandas as pd

    model, X, X_err = fitted
    head = ["u", "v"]
    named = NoisyGPClassifier(
        inducing=8, epochs=2, stop="fixed", points=16, calibrate=False, random_state=0, n_jobs=1
    ).fit(pd.DataFrame(X, columns=head), model.predict(X, X_err=X_err), X_err=pd.DataFrame(X_err, columns=head))
    x = frames.from_pandas(pd.DataFrame(X, columns=head), npartitions=4)
    errors = frames.from_pandas(pd.DataFrame(X_err, columns=head), npartitions=4)
    expected = named.predict_proba(pd.DataFrame(X, columns=head), X_err=pd.DataFrame(X_err, columns=head))
    assert np.array_equal(named.predict_proba(x, X_err=errors).compute(), expected)
    with pytest.raises(ValueError, match="as many partitions"):
        named.predict_proba(x, X_err=frames.from_pandas(pd.DataFrame(X_err, columns=head), npartitions=2))
    with pytest.raises(TypeError, match="Dask frame"):
        named.predict_proba(x, X_err=X_err)


def test_other_shares_of_classes(fitted):
    """Shares that are given hold in every block; to estimate them takes all rows at once."""
    model, X, X_err = fitted
    x, shares = da.from_array(X, chunks=(30, 2)), {"a": 0.7, "b": 0.2, "c": 0.1}
    lazy = model.predict_proba(x, X_err=X_err, prior=shares).compute(scheduler="sync")
    assert np.array_equal(lazy, model.predict_proba(X, X_err=X_err, prior=shares))
    assert not np.allclose(lazy, model.predict_proba(X, X_err=X_err))
    names = model.predict(x, X_err=X_err, prior=shares).compute(scheduler="sync")
    assert np.array_equal(names, model.predict(X, X_err=X_err, prior=shares))
    with pytest.raises(ValueError, match="all rows at once"):
        model.predict_proba(x, X_err=X_err, prior="auto")
    with pytest.raises(ValueError, match="no share for class 'c'"):
        model.predict_proba(x, X_err=X_err, prior={"a": 0.5, "b": 0.5})


def test_what_is_wrong_is_said(fitted):
    model, X, X_err = fitted
    x = da.from_array(X, chunks=(30, 2))
    with pytest.raises(ValueError, match="X_err has 100 rows, X has 103"):
        model.predict_proba(x, X_err=X_err[:100])
    with pytest.raises(ValueError, match="2 features"):
        model.predict_proba(da.from_array(X[:, :1], chunks=(30, 1)), X_err=0.1).compute(scheduler="sync")
