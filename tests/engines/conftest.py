# SPDX-License-Identifier: Apache-2.0
"""A mock sky and a model of it, for the tests of engines (`make check-engines`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nimgp import NoisyGPClassifier, from_table
from nimgp.datasets import make_catalogue

os.environ["PYSPARK_PYTHON"] = sys.executable  # else Spark takes the first python3 there is

PROGRAM = Path(__file__).parents[2] / "build" / "release" / "cli" / "nimgp"


def place_on_the_sky(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """With random positions."""
    rng = np.random.default_rng(seed)
    dec = np.degrees(np.arcsin(rng.uniform(-1, 1, len(table))))
    return table.assign(ra=rng.uniform(0, 360, len(table)), dec=dec)


@pytest.fixture(scope="session")
def sky() -> pd.DataFrame:
    return place_on_the_sky(make_catalogue(3000, 0, seed=1).train.drop(columns="class"))


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X, y, X_err, _ = from_table(make_catalogue(300, 0).train, label="class", log=["flux"])
    path = tmp_path_factory.mktemp("model") / "sky.nimgp"
    NoisyGPClassifier(epochs=5, stop="fixed", random_state=0).fit(X, y, X_err=X_err).save(path)
    return path


@pytest.fixture(scope="session")
def by_program(sky: pd.DataFrame, model: Path, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The program's predictions, by id."""
    place = tmp_path_factory.mktemp("program")
    sky.to_csv(place / "sky.csv", index=False)
    subprocess.run([PROGRAM, "predict", model, place / "sky.csv", "--keep-only", "id", "--novelty",
                    "-o", place / "found.csv", "-q"], check=True)  # fmt: skip
    return pd.read_csv(place / "found.csv").set_index("id").sort_index()


def same_as(found: pd.DataFrame, expected: pd.DataFrame) -> bool:
    """Whether all columns of predictions are equal, to the last bit."""
    found = found.set_index("id").sort_index()
    assert len(found) == len(expected) and found.index.tolist() == expected.index.tolist()
    for name in expected.columns:
        mine, theirs = found[name].tolist(), expected[name].tolist()
        assert mine == theirs, name
    return True
