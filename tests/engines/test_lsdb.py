# SPDX-License-Identifier: Apache-2.0
"""HATS catalogues in LSDB."""

from __future__ import annotations

import lsdb
import nimgp
import nimgp.lsdb
import numpy as np
import pytest
from conftest import same_as
from dask.distributed import Client


@pytest.fixture(scope="module")
def catalog(sky, tmp_path_factory):
    place = tmp_path_factory.mktemp("hats") / "sky"
    lsdb.from_dataframe(sky, ra_column="ra", dec_column="dec", partition_rows=400).write_catalog(place, catalog_name="sky")
    return lsdb.open_catalog(place)


@pytest.fixture(scope="module")
def client():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


def test_predictions_are_columns_next_to_the_catalogue(catalog, model, by_program, client, tmp_path):
    found = nimgp.lsdb.predict(catalog, model, novelty=True)
    assert catalog.npartitions > 3 and found.columns[-1] == "novelty"
    computed = found.compute()
    assert same_as(computed, by_program)
    assert dict(found.dtypes) == dict(computed.dtypes)  # the types that were promised without a row
    found.write_catalog(tmp_path / "classes", catalog_name="classes")
    assert same_as(lsdb.open_catalog(tmp_path / "classes").compute(), by_program)


def test_an_estimator_can_be_sent(catalog, model, by_program, client):
    found = nimgp.lsdb.predict(catalog, nimgp.load(model), novelty=True)
    assert same_as(found.compute(), by_program)


def test_suggest(catalog, model, sky, client):
    best = nimgp.lsdb.suggest(catalog, model, n=7)
    estimator = nimgp.load(model)
    read = nimgp.from_table(sky, features=estimator.feature_names_in_)
    parts = estimator.uncertainty(read.X, X_err=read.X_err)
    wanted = sky["id"].iloc[np.argsort(-parts.total, kind="stable")[:7]]
    assert best["id"].tolist() == wanted.tolist()


def test_empty_partitions_and_mistakes(catalog, model, client):
    far = catalog.cone_search(ra=0.0, dec=89.9, radius_arcsec=1)
    assert len(nimgp.lsdb.predict(far, model).compute()) == 0
    with pytest.raises(ValueError, match="no column 'spectral_index'"):
        nimgp.lsdb.predict(catalog[["id", "ra", "dec", "flux"]], model)
    with pytest.raises(ValueError, match="'p_agn' already"):
        nimgp.lsdb.predict(nimgp.lsdb.predict(catalog, model), model)
    with pytest.raises(FileNotFoundError):
        nimgp.lsdb.predict(catalog, "nowhere.nimgp")
