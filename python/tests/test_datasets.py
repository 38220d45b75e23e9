# SPDX-License-Identifier: Apache-2.0
"""Tables to try nimgp on: downloads, from a server on this machine, and simulated tables."""

from __future__ import annotations

import doctest
import gzip
import http.server
import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nimgp.datasets
from nimgp import NoisyGPClassifier, NoisyGPRegressor, from_table
from nimgp.datasets import (
    _archives,
    _galaxies,
    fetch_4fgl,
    fetch_koi,
    fetch_sdss_galaxies,
    fetch_toi,
    make_catalogue,
    make_galaxies,
)
from problems import ROOT

KOI = "kepoi_name,koi_disposition,koi_period,koi_period_err1,koi_period_err2\n" + "".join(
    f"K{i:05d}.01,{'CONFIRMED' if i % 2 else 'CANDIDATE'},{i + 0.5},0.1,-0.2\n" for i in range(200)
)


@pytest.fixture
def server():
    """Answers with the texts in `pages`, and counts the questions in `asked`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        pages: dict[str, bytes] = {}
        asked: list[str] = []

        def do_GET(self):
            self.asked.append(self.path)
            found = self.pages.get(self.path)
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_):
            pass

    Handler.pages, Handler.asked = {}, []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        Handler.address = f"http://127.0.0.1:{made.server_port}"
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield Handler
        made.shutdown()


@pytest.fixture
def koi(server, monkeypatch):
    """fetch_koi asks the server; the table may be small."""
    pytest.importorskip("pooch", reason="pooch is not installed: downloads are not tested")
    small = _archives._SOURCES["koi"]._replace(address=server.address + "/koi", least_bytes=1000)
    monkeypatch.setitem(_archives._SOURCES, "koi", small)
    server.pages["/koi"] = KOI.encode()
    return server


def test_a_table_is_downloaded_once(koi, tmp_path):
    first, second = fetch_koi(cache=tmp_path), fetch_koi(cache=tmp_path)
    assert koi.asked == ["/koi"] and first.equals(second) and len(first) == 200
    columns = from_table(first, label="koi_disposition", features=["koi_period"])
    assert columns.X_err.upper[0, 0] == 0.1 and columns.X_err.sigma[0, 0] == 0.2


@pytest.mark.parametrize(
    "page, words",
    [
        (b"", "cannot be read as a table"),
        (b"<html>The archive is closed for repairs</html>" * 30, "no column 'kepoi_name'"),
        (KOI.encode()[:900], "900 bytes, less than the table expected"),
    ],
)
def test_what_is_not_the_table_is_refused_and_not_kept(koi, tmp_path, page, words):
    koi.pages["/koi"] = page
    with pytest.raises(ValueError, match=words):
        fetch_koi(cache=tmp_path)
    koi.pages["/koi"] = KOI.encode()
    assert len(fetch_koi(cache=tmp_path)) == 200


def test_a_checksum_is_verified(koi, tmp_path, monkeypatch):
    other = _archives._SOURCES["koi"]._replace(sha256="0" * 64)
    monkeypatch.setitem(_archives._SOURCES, "koi", other)
    with pytest.raises(OSError, match="koi: cannot download .*; if you have the file, pass path="):
        fetch_koi(cache=tmp_path)
    assert not list(tmp_path.iterdir())


def test_offline_is_one_line(koi, tmp_path):
    koi.pages.clear()
    with pytest.raises(OSError, match="404.*pass path=") as caught:
        fetch_koi(cache=tmp_path)
    assert "\n" not in str(caught.value) and caught.value.__suppress_context__


def test_a_file_one_has(tmp_path):
    path = tmp_path / "mine.csv.gz"
    path.write_bytes(gzip.compress(b"# from the archive\n" + KOI.encode()))
    with pytest.raises(ValueError, match=f"{path}: has [0-9]+ bytes"):  # too small for the real one
        fetch_koi(path=path)
    with pytest.raises(OSError, match="nothing.csv"):
        fetch_toi(path=tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="no column 'redshift'"):
        fetch_sdss_galaxies(path=path)


def test_addresses_are_the_archives_own():
    for source in _archives._SOURCES.values():
        assert source.address.startswith("https://") and " " not in source.address
    assert "FROM%20SpecObj" in _archives._SOURCES["sdss_galaxies"].address


def test_real_tables(data):
    table = fetch_koi(path=data / "catalogues" / "koi.csv.gz")
    assert set(table["koi_disposition"]) == {"CONFIRMED", "FALSE POSITIVE", "CANDIDATE"}
    sources = fetch_4fgl(path=data / "astro" / "gll_psc_v27.fit.gz")
    assert len(sources) == 5788
    galaxies = fetch_sdss_galaxies(path=data / "catalogues" / "sdss_galaxies_train.csv.gz")
    assert len(galaxies) == 5000


def test_without_pooch_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(ImportError, match=r"pooch is not installed: pip install nimgp\[datasets\]"):
        fetch_koi(cache=tmp_path)


# ---------------------------------------------------------------------- simulated tables


def test_docstrings():
    for module in (nimgp.datasets._catalogue, nimgp.datasets._galaxies):
        failed, tried = doctest.testmod(module)
        assert tried > 0 and failed == 0


@pytest.mark.parametrize("measured", ["plain", "correlated", "lopsided", "limits"])
def test_the_catalogue_is_that_of_the_program(tmp_path, measured):
    program = Path(os.environ.get("NIMGP_BUILD", ROOT / "build" / "release")) / "cli" / "nimgp"
    if not program.exists():
        pytest.skip(f"NO PROGRAM: {program} is not built; run `make build`")
    options = ["--rows", "40", "--test-rows", "30", "--seed", "7", "--noise-var", "1.5", "--worse", "2",
               "--missing", "faint", "--measured", measured]  # fmt: skip
    subprocess.run([program, "simulate", "catalogue", "--out", tmp_path, "-q", *options], check=True)
    mine = make_catalogue(40, 30, noise=1.5, worse=2, missing="faint", measured=measured, seed=7)
    for name, table in mine._asdict().items():
        file = "bayes" if name == "best" else name
        theirs = pd.read_csv(tmp_path / f"{file}.csv", keep_default_na=False, na_values=[""])
        for column in theirs.columns[theirs.columns.str.endswith("_limit")]:
            theirs[column] = theirs[column].fillna("")
        pd.testing.assert_frame_equal(table, theirs, check_exact=True, check_dtype=False)


def test_wrong_settings_are_refused():
    for wrong in ({"rows": 0}, {"rows": 2.5}, {"missing": "many"}, {"noise": -1.0}, {"worse": 0.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            make_catalogue(**wrong)
    with pytest.raises(ValueError, match="rows=0"):
        make_galaxies(0)


def test_the_best_densities_are_calibrated_and_beat_others():
    """Of true values, a share q lies below the quantile q of the best p(z), for each q; and no other
    density has a larger mean log, not that of other errors, nor that of all galaxies."""
    galaxies = make_galaxies(10, 3000, worse=1.5, seed=3)
    z, grid = galaxies.test["redshift"].to_numpy(), galaxies.best.columns.to_numpy(float)
    p = galaxies.best.to_numpy()
    assert np.allclose(p.sum(axis=1) * _galaxies._STEP, 1)
    cell = np.clip((z / _galaxies._STEP).astype(int), 0, len(grid) - 1)
    below = np.cumsum(p, axis=1)[np.arange(len(z)), cell] * _galaxies._STEP
    level = np.sort(below)
    assert np.abs(level - (np.arange(len(z)) + 0.5) / len(z)).max() < 1.95 / np.sqrt(len(z))
    best = np.log(p[np.arange(len(z)), cell]).mean()
    x = galaxies.test[list("ugriz")].to_numpy()
    wrong = _galaxies._best(x, np.broadcast_to(0.01 * np.eye(5), (len(x), 5, 5)))
    assert best > np.log(wrong[np.arange(len(z)), cell] + 1e-9).mean() + 0.3
    everyone = _galaxies._shares().sum(axis=0) / _galaxies._STEP
    assert best > np.log(everyone[cell]).mean() + 0.3
    peaks = ((p[:, 1:-1] > p[:, :-2]) & (p[:, 1:-1] > p[:, 2:]) & (p[:, 1:-1] > 0.1)).sum(axis=1)
    assert (peaks > 1).mean() > 0.1  # several redshifts for one set of colours


def test_the_errors_of_galaxies_are_what_they_say():
    """Twice the same seed with other errors: the difference of measurements has the covariance of
    the columns."""
    sharp, bad = (make_galaxies(1, 4000, worse=worse, seed=5).test for worse in (1.0, 2.0))
    bands = list("ugriz")
    errors = from_table(sharp, features=bands).X_err
    scaled = (bad[bands] - sharp[bands]).to_numpy() / errors.sigma
    expected = from_table(sharp[:1], features=bands).X_err
    found = np.corrcoef(scaled.T)
    assert np.allclose(scaled.std(axis=0), 1, atol=0.05)
    assert abs(found[0, 1] - expected.correlation[0, 0]) < 0.05


# ---------------------------------------------------------------------- tables without rows


@pytest.mark.parametrize("kind", [NoisyGPClassifier, NoisyGPRegressor])
def test_no_rows_have_no_predictions(kind):
    """Engines ask for the types of results with an empty table, and partitions can be empty."""
    sky = make_catalogue(60, 20)
    label = "class" if kind is NoisyGPClassifier else "latitude"
    X, y, X_err, names = from_table(sky.train, label=label, features=["flux", "curvature"])
    model = kind(epochs=2, stop="fixed", points=16, random_state=0, n_jobs=1).fit(X, y, X_err=X_err)
    for name in ("predict", "predict_proba", "predict_set", "predict_quantiles", "novelty", "suggest", "remeasure"):
        if hasattr(model, name):
            one = getattr(model, name)(X[:1], X_err=X_err[:1])
            none = getattr(model, name)(X[:0], X_err=X_err[:0])
            assert none.shape == (0, *one.shape[1:]) and none.dtype == one.dtype, name
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.fit(X[:0], y[:0], X_err=X_err[:0])
