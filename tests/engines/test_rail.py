# SPDX-License-Identifier: Apache-2.0
"""Stages of RAIL."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from nimgp import Errors, NoisyGPRegressor
from nimgp.datasets import make_galaxies
from nimgp.rail import (
    NimgpClassifier,
    NimgpClassInformer,
    NimgpEstimator,
    NimgpInformer,
    _magnitudes,
)

BANDS = list("ugriz")
COLUMNS = {
    "bands": BANDS,
    "err_bands": [f"{band}_err" for band in BANDS],
    "mag_limits": {band: 24.0 for band in BANDS},
    "hdf5_groupname": "",
}
QUICK = {"epochs": 30, "stop": "fixed", "n_jobs": 1}


@pytest.fixture(scope="module")
def tables():
    """As numpy dictionaries; some magnitudes were not detected, some not observed."""
    galaxies = make_galaxies(300, 60, seed=2)
    made = []
    for table in (galaxies.train, galaxies.test):
        columns = {name: table[name].to_numpy(copy=True) for name in table.columns}
        columns["u"][::10], columns["u_err"][::10] = 99.0, 24.0
        columns["i"][5::20], columns["i_err"][5::20] = -99.0, -99.0
        columns["far"] = np.where(columns["redshift"] > 1.5, "far", "near")
        made.append(columns)
    return made


def test_guard_values(tables):
    X, X_err = _magnitudes(tables[0], type("config", (), COLUMNS | {"nondetect_val": 99.0, "nonobserved_val": -99.0}))
    assert (X[::10, 0] == 24).all() and (X_err.limit[::10, 0] == 1).all() and (X_err.sigma[::10, 0] == 0).all()
    assert np.isnan(X[5::20, 3]).all() and np.isnan(X_err.sigma[5::20, 3]).all()
    assert (X_err.limit != 0).sum() == 30 and np.isnan(X).sum() == 15


@pytest.mark.parametrize("chunk", [7, 1000])
def test_redshifts(tables, chunk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train, test = tables
    informer = NimgpInformer.make_stage(name="inform", model=str(tmp_path / "z.pkl"), settings=QUICK, **COLUMNS)
    informer.inform(train)
    path = tmp_path / "z.pkl"
    estimator = NimgpEstimator.make_stage(
        name="estimate", model=str(path), chunk_size=chunk, zmin=0.0, zmax=4.5, nzbins=91, output=str(tmp_path / "pz.hdf5"), **COLUMNS
    )
    ensemble = estimator.estimate(test).read()
    config = type("config", (), COLUMNS | {"nondetect_val": 99.0, "nonobserved_val": -99.0})
    X, X_err = _magnitudes(train, config)
    alone = NoisyGPRegressor(random_state=0, **QUICK).fit(X, train["redshift"], X_err=X_err)
    X, X_err = _magnitudes(test, config)
    assert isinstance(X_err, Errors)
    quantiles = alone.predict_quantiles(X, (0.16, 0.5, 0.84), X_err=X_err)
    assert np.allclose(ensemble.ppf([0.16, 0.5, 0.84]), quantiles, atol=1e-6)
    assert ensemble.npdf == 60 and np.isfinite(ensemble.pdf(np.linspace(0, 4, 9))).all()
    assert np.array_equal(np.ravel(ensemble.ancil["redshift"]), test["redshift"])
    assert np.ravel(ensemble.ancil["distribution_type"]).shape == (60,)


def test_a_model_is_small_and_has_no_rows(tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    informer = NimgpInformer.make_stage(name="inform_2", model=str(tmp_path / "z.pkl"), settings=QUICK, **COLUMNS)
    handle = informer.inform(tables[0])
    assert isinstance(getattr(handle.data, "data", handle.data), bytes)
    assert len(pickle.dumps(handle.data)) < 400_000


def test_classes(tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train, test = tables
    informer = NimgpClassInformer.make_stage(
        name="inform_class", model=str(tmp_path / "c.pkl"), class_col="far", settings=QUICK, **COLUMNS
    )
    informer.inform(train)
    stage = NimgpClassifier.make_stage(name="classify", model=str(tmp_path / "c.pkl"), output=str(tmp_path / "c.hdf5"), **COLUMNS)
    found = stage.classify(test).data
    assert np.allclose(found["p_far"] + found["p_near"], 1)
    assert (np.asarray(found["class"]).astype(str) == test["far"]).mean() > 0.8


def test_missing_columns_are_named(tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    informer = NimgpInformer.make_stage(
        name="inform_3", model=str(tmp_path / "z.pkl"), settings=QUICK, **(COLUMNS | {"bands": [*BANDS[:4], "w"]})
    )
    with pytest.raises(Exception, match="w"):
        informer.inform(dict(tables[0]))
