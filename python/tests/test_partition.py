# SPDX-License-Identifier: Apache-2.0
"""Predictions of partitions, as engines ask for them: those of the program, to the last bit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nimgp import NoisyGPClassifier, NoisyGPRegressor, from_table
from nimgp._estimators.partition import Reading, SentModel, predict_partition
from nimgp.datasets import make_catalogue
from problems import ROOT

SKY = make_catalogue(150, 120, seed=4)
QUICK = {"epochs": 3, "stop": "fixed", "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def program():
    path = Path(os.environ.get("NIMGP_BUILD", ROOT / "build" / "release")) / "cli" / "nimgp"
    if not path.exists():
        pytest.skip(f"NO PROGRAM: {path} is not built; run `make build`")
    return path


def fitted(kind, label):
    features = ["flux", "spectral_index", "curvature"]
    X, y, X_err, _ = from_table(SKY.train, label=label, features=features, log=["flux"])
    return kind(**QUICK).fit(X, y, X_err=X_err)


@pytest.mark.parametrize(
    "kind, label, how, options",
    [
        (NoisyGPClassifier, "class", Reading(novelty=True), ["--novelty"]),
        (NoisyGPClassifier, "class", Reading(prior={"agn": 0.2, "pulsar": 0.5, "starburst": 0.3}),
         ["--prior", "agn=0.2,pulsar=0.5,starburst=0.3"]),
        (NoisyGPRegressor, "latitude", Reading(levels=(0.05, 0.5, 0.975)), ["--quantiles", "0.05,0.5,0.975"]),
    ],
)  # fmt: skip
def test_the_numbers_are_those_of_the_program(program, tmp_path, kind, label, how, options):
    fitted(kind, label).save(tmp_path / "sky.nimgp")
    SKY.test.to_csv(tmp_path / "test.csv", index=False)
    subprocess.run([program, "predict", tmp_path / "sky.nimgp", tmp_path / "test.csv", *options, "--keep-only", "id",
                    "-o", tmp_path / "found.csv", "-q"], check=True)  # fmt: skip
    theirs = pd.read_csv(tmp_path / "found.csv")
    sent = SentModel.of(tmp_path / "sky.nimgp")
    parts = [SKY.test[:0], SKY.test[:50], SKY.test[50:51], SKY.test[51:]]
    mine = pd.concat([pd.DataFrame(predict_partition(part, sent, how)) for part in parts])
    assert set(theirs.columns) - {"id"} == set(mine.columns)
    for name in mine.columns:
        assert (mine[name].to_numpy() == theirs[name].to_numpy()).all(), name


def test_what_was_missing_for_the_program_is_missing(program, tmp_path):
    """A single row, too, whose errors are all unknown."""
    gaps = [table.assign(latitude=table["latitude"].mask(table.index % 5 == 0, -999.0), curvature=table["curvature"].fillna(99.0))
            for table in (SKY.train, SKY.test)]  # fmt: skip
    for name, table in zip(("train", "test"), gaps, strict=True):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    run = {"check": True, "cwd": tmp_path}
    subprocess.run([program, "fit", "train.csv", "-o", "m", "--epochs", "2", "--stop", "fixed", "-q"], **run)
    subprocess.run([program, "predict", "m", "test.csv", "-o", "found.csv", "-q"], **run)
    theirs, sent = pd.read_csv(tmp_path / "found.csv"), SentModel.of(tmp_path / "m")
    parts = [gaps[1][i : i + 1] for i in range(20)] + [gaps[1][20:]]
    mine = pd.concat([pd.DataFrame(predict_partition(part, sent, Reading())) for part in parts])
    assert (mine["entropy"].to_numpy() == theirs["entropy"].to_numpy()).all()


def test_a_model_is_loaded_once_until_it_changes(tmp_path):
    path = tmp_path / "sky.nimgp"
    model = fitted(NoisyGPClassifier, "class")
    model.save(path)
    assert SentModel.of(path).estimator() is SentModel.of(str(path)).estimator()
    before = SentModel.of(path)
    model.save(path)
    os.utime(path, ns=(1, 1))
    assert SentModel.of(path).estimator() is not before.estimator()
    sent = SentModel.of(model)
    assert sent.estimator() is SentModel.of(model).estimator() and sent.estimator().n_jobs == 1
    assert np.array_equal(
        predict_partition(SKY.test, sent, Reading())["entropy"],
        predict_partition(SKY.test, SentModel.of(path), Reading())["entropy"],
    )


def test_what_would_fail_in_each_partition_fails_at_once():
    model = fitted(NoisyGPClassifier, "class")
    for wrong, words in [
        (Reading(prior="auto"), "expected a share for each class"),
        (Reading(levels=(0.0,)), "between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=words):
            wrong.check(model)
    nameless = NoisyGPClassifier(**QUICK).fit(np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2)
    with pytest.raises(ValueError, match="does not know the names"):
        Reading().check(nameless)
    with pytest.raises(TypeError, match="expected an estimator or a path"):
        SentModel.of(3)
