# SPDX-License-Identifier: Apache-2.0
"""The tutorials run, in short variants; those on real tables if the data are there."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from problems import ROOT

TUTORIALS = sorted(ROOT.glob("docs/tutorials/*.ipynb"))
RUNNER = ROOT / "scripts" / "notebooks.py"
TABLES = {  # what downloads would leave in the cache
    "planets": ("catalogues/koi.csv.gz", "koi.csv"),
    "fermi": ("astro/gll_psc_v27.fit.gz", "gll_psc_v27.fit"),
}


@pytest.fixture(scope="module")
def programs():
    place = Path(os.environ.get("NIMGP_BUILD", ROOT / "build" / "release")) / "cli"
    if not (place / "nimgp").exists():
        pytest.skip(f"NO PROGRAM: {place / 'nimgp'} is not built; run `make build`")
    return place


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs(path, programs, tmp_path, request):
    if path.stem == "lsdb" and importlib.util.find_spec("lsdb") is None:
        pytest.skip("lsdb is not installed; make check-engines runs this tutorial")
    if path.stem == "processes" and not (shutil.which("mpirun") and (programs / "nimgp-mpi").exists()):
        pytest.skip("NO MPI: nimgp-mpi is not built")
    if path.stem in TABLES:
        pytest.importorskip("pooch", reason="pooch is not installed: tables cannot be fetched")
        source, name = TABLES[path.stem]
        (tmp_path / "nimgp").mkdir()
        content = gzip.decompress((request.getfixturevalue("data") / source).read_bytes())
        (tmp_path / "nimgp" / name).write_bytes(content)
    subprocess.run([sys.executable, RUNNER, "run", "--short", "--programs", programs, "--cache", tmp_path, path], check=True)


def test_tutorials_are_small_and_were_run():
    assert len(TUTORIALS) == 8
    for path in TUTORIALS:
        assert path.stat().st_size < 400_000, path.name
        cells = json.loads(path.read_text())["cells"]
        assert any(cell.get("outputs") for cell in cells), path.name
        assert f"({path.stem}.ipynb)" in (path.parent / "README.md").read_text()


def test_a_cell_that_fails_is_named(tmp_path):
    cells = [{"cell_type": "code", "source": ["1 / 0"], "metadata": {}, "outputs": []}]
    (tmp_path / "bad.ipynb").write_text(json.dumps({"cells": cells}))
    done = subprocess.run([sys.executable, RUNNER, "run", tmp_path / "bad.ipynb"], stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0 and "cell 0" in done.stderr and "ZeroDivisionError" in done.stderr


def test_short_lines_replace_their_own(tmp_path):
    source = "rows = 7  # short: rows = 3\nprint(rows)"
    cells = [{"cell_type": "code", "source": [source], "metadata": {}, "outputs": []}]
    path = tmp_path / "short.ipynb"
    for options, said in [([], "7\n"), (["--short"], "3\n")]:
        path.write_text(json.dumps({"cells": cells}))
        subprocess.run([sys.executable, RUNNER, "run", "--keep", *options, path], check=True)
        assert json.loads(path.read_text())["cells"][0]["outputs"][0]["text"] == [said]
    page = subprocess.run([sys.executable, RUNNER, "page", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "```python\nrows = 7\nprint(rows)\n```\n\n```text\n3\n```" in page
