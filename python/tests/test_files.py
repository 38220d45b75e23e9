# SPDX-License-Identifier: Apache-2.0
"""Model files: what is kept, and whose files can be read."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
    fit_table,
    from_table,
    load,
)
from nimgp._native.model import Model
from problems import ROOT, make_targets

QUICK = {"epochs": 20, "calibrate": False, "random_state": 3, "n_jobs": 1}

EVERY = {name: value for name, value in QUICK.items() if name != "calibrate"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.nimgp"


def test_everything_comes_back(problem, path):
    X, y, sigma, _ = problem
    frame = pd.DataFrame(X, columns=["flux", "log(index)"])
    clf = NoisyGPClassifier("amortised", "both", "matern52", 9, epsilon=0.01, learn_epsilon=True,
                            alpha=0.5, caution=0.8,
                            lengthscale_prior=1.5, batch=64, samples=2, population="flat",
                            missing="ignore", options={"noise_start": 0.1, "jitter": 1e-5, "whiten": False,
                                                       "white_start": 1e-3},
                            **QUICK).fit(frame, y, X_err=sigma)  # fmt: skip
    clf.save(path)
    back = NoisyGPClassifier.load(path)
    assert back.get_params() == {**clf.get_params(), "n_jobs": None}
    assert back.feature_names_in_.tolist() == ["flux", "log(index)"]
    assert back.n_features_in_ == 2
    assert np.array_equal(back.predict_proba(frame, X_err=sigma), clf.predict_proba(frame, X_err=sigma))
    for name in ("lengthscales_", "noise_variance_", "relevance_", "elbo_", "n_iter_", "epsilon_"):
        assert np.array_equal(getattr(back, name), getattr(clf, name)), name
    assert np.array_equal(back.denoise(frame, y, X_err=sigma).mean, clf.denoise(frame, y, X_err=sigma).mean)
    with pytest.warns(UserWarning, match="X_err is None"):
        back.predict(frame)
    other = path.with_name("again")
    back.save(other)
    assert other.read_bytes() == path.read_bytes()


def test_what_was_left_to_the_library_is_left_to_it_by_the_loaded_estimator(problem, path):
    X, y, sigma, _ = problem
    points = {"input": "marginal", "batch": "50", "alpha": "1"}
    exact = {"input": "exact", "batch": "200", "samples": "1", "alpha": "0.5", "caution": "1"}
    for errors, chosen in (
        (None, exact | {"kernel": "matern32", "population": "flat"}),
        (0.1, points | {"caution": "0.3", "kernel": "matern32", "samples": "2", "population": "wide"}),
        (sigma, points | {"caution": "0.45", "kernel": "linear+matern32", "samples": "8", "population": "mixture"}),
    ):
        clf = NoisyGPClassifier(epochs=2, random_state=0, calibrate=False).fit(X, y, X_err=errors)
        clf.save(path)
        back = NoisyGPClassifier.load(path)
        assert back.get_params() == clf.get_params()
        assert {name: back._model.option(name) for name in chosen} == chosen
        assert {back._model.request(name) for name in chosen} == {"auto", "0"}
        assert not hasattr(back, "feature_names_in_")
        again = clone(back).fit(X, y, X_err=errors)
        assert np.array_equal(again.predict_proba(X, X_err=0), clf.predict_proba(X, X_err=0))


def test_what_was_not_is_not(problem, path):
    """0 is a choice of alpha, not the lack of one."""
    clf = NoisyGPClassifier(alpha=0, caution=1, **QUICK).fit(problem.X, problem.y, X_err=problem.sigma)
    clf.save(path)
    back = NoisyGPClassifier.load(path)
    assert back.alpha == 0.0 and back.caution == 1.0 and back.calibrate is False
    assert back.lengthscale_prior is None and back.options is None and back.epochs == 20


@pytest.mark.parametrize(
    "classes",
    [
        np.array([-5, 0, 12]),
        np.array([1, 2, 3], dtype=np.uint8),
        np.array([-1.0, 1.0, 1e10]),
        np.array([False, True]),
        np.array(["blazar", "pulsar", "żubr, \"'\n"]),
        np.array(["a", "b", "c"], dtype=object),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_classes_keep_their_type(problem, path, classes):
    number = np.unique(problem.y, return_inverse=True)[1] % len(classes)
    clf = NoisyGPClassifier(**QUICK).fit(problem.X, classes[number])
    clf.save(path)
    back = NoisyGPClassifier.load(path)
    assert back.classes_.tolist() == clf.classes_.tolist()
    assert back.classes_.dtype == clf.classes_.dtype
    assert back.predict(problem.X).tolist() == clf.predict(problem.X).tolist()


def test_training_goes_on_from_a_file(problem, path):
    X, y, sigma, _ = problem
    whole = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    NoisyGPClassifier(progress=lambda p: p.epoch == 7, **QUICK).fit(X, y, X_err=sigma).save(path)
    back = NoisyGPClassifier.load(path).set_params(warm_start=True)
    with pytest.raises(ValueError, match="not in its model file; set warm_start=True"):
        back.partial_fit(X, y)
    back.fit(X, y, X_err=sigma)
    assert np.array_equal(back.predict_proba(X, X_err=sigma), whole.predict_proba(X, X_err=sigma))


def test_files_that_are_none(problem, path, tmp_path):
    with pytest.raises(FileNotFoundError):
        NoisyGPClassifier.load(path)
    with pytest.raises(IsADirectoryError):
        NoisyGPClassifier.load(tmp_path)
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="model.nimgp"):
        NoisyGPClassifier.load(path)
    clf = NoisyGPClassifier(**QUICK).fit(problem.X, problem.y)
    clf.save(path)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="model.nimgp"):
        NoisyGPClassifier.load(path)
    with pytest.raises(OSError, match="nowhere"):
        clf.save(tmp_path / "nowhere" / "model")
    assert not (tmp_path / "nowhere").exists()


def test_names_that_cannot_be_kept(problem, path):
    labels = np.where(problem.y == "east", "", problem.y)
    clf = NoisyGPClassifier(**QUICK).fit(problem.X, labels)
    with pytest.raises(ValueError, match="name of class 0 is empty"):
        clf.save(path)
    assert not path.exists()


def test_other_programs_read_the_file(problem, path):
    safetensors = pytest.importorskip("safetensors")
    clf = NoisyGPClassifier(**QUICK).fit(problem.X, problem.y)
    clf.save(path)
    with safetensors.safe_open(path, framework="np") as file:
        assert file.metadata()["classes"] == '["east","north","west"]'
        scale = file.get_tensor("scaling.deviation")
        length = np.exp(file.get_tensor("kernel.log_lengthscale")) * scale
    assert np.allclose(length, clf.lengthscales_, rtol=1e-12)
    assert np.allclose(scale, problem.X.std(axis=0))


# ---------------------------------------------------------------------- the command-line program


@pytest.fixture
def program() -> str:
    default = ROOT / "build" / "release" / "cli" / "nimgp"
    path = os.environ.get("NIMGP_PROGRAM", str(default))
    if not Path(path).exists():
        pytest.skip(f"NO PROGRAM: {path} is not built; model files were not crossed with it")
    return path


@pytest.fixture
def table(problem, tmp_path: Path) -> Path:
    frame = pd.DataFrame({"flux": problem.X[:, 0], "flux_err": problem.sigma[:, 0],
                          "index": problem.X[:, 1], "index_err": problem.sigma[:, 1],
                          "class": problem.y})  # fmt: skip
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def read(table: Path) -> dict[str, np.ndarray]:
    """Columns to the last bit, whatever pandas' reader does."""
    rows = list(csv.DictReader(table.read_text().splitlines()))
    return {
        name: np.array([row[name] for row in rows]).astype(str if name == "class" else float)
        for name in rows[0]
    }


def predicted(program: str, model: Path, table: Path, classes: list[str]) -> np.ndarray:
    done = subprocess.run(
        [program, "predict", model, table], check=True, capture_output=True, text=True
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return np.array([[float(row[f"p_{name}"]) for name in classes] for row in rows])


def test_the_program_reads_our_files(program, problem, table, path):
    X, y, X_err, _ = from_table(read(table), label="class", features=["flux", "index"])
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=X_err)
    clf.save(path)
    theirs = predicted(program, path, table, clf.classes_.tolist())
    assert np.array_equal(theirs, clf.predict_proba(X, X_err=X_err))


def test_we_read_the_programs_files(program, problem, table, path):
    subprocess.run([program, "fit", table, "-o", path, "--label", "class", "--features",
                    "flux,index", "--epochs", "20", "--seed", "3"], check=True,
                   capture_output=True)  # fmt: skip
    clf = NoisyGPClassifier.load(path)
    assert clf.classes_.tolist() == ["east", "north", "west"]
    assert clf.feature_names_in_.tolist() == ["flux", "index"]
    X, _, X_err, _ = from_table(read(table), features=clf.feature_names_in_)
    theirs = predicted(program, path, table, clf.classes_.tolist())
    assert np.array_equal(theirs, clf.predict_proba(X, X_err=X_err))
    with pytest.warns(UserWarning, match="X_err is None"):
        clf.predict(X)


TASKS = {
    "ordinal": (NoisyGPOrdinalClassifier, "y"),
    "multilabel": (NoisyGPMultiLabelClassifier, "a,b,c"),
    "regress": (NoisyGPRegressor, "y"),
    "count": (NoisyGPCountRegressor, "y"),
}


@pytest.mark.parametrize("task", TASKS)
def test_every_task_crosses_with_the_program(program, tmp_path, path, task):
    """Theirs of a file of ours and ours of a file of theirs, after the same training."""
    usage = subprocess.run([program, "fit", "--help"], capture_output=True, text=True).stdout
    if "--task" not in usage:
        pytest.skip(f"NO TASKS: {program} is older than its tasks; files were not crossed")
    kind, label = TASKS[task]
    X, y, sigma, _ = make_targets(kind)
    columns = {"flux": X[:, 0], "flux_err": sigma[:, 0], "size": X[:, 1], "size_err": sigma[:, 1]}
    names = label.split(",")
    columns |= dict(zip(names, np.atleast_2d(y.T), strict=True))
    hours = np.linspace(0.5, 2.0, len(X))
    more = {"exposure": hours} if task == "count" else {}
    table = tmp_path / "table.csv"
    pd.DataFrame(columns | {"hours": hours}).to_csv(table, index=False)
    wanted = ["--exposure", "hours"] if more else []
    theirs = tmp_path / "theirs.nimgp"
    subprocess.run([program, "fit", table, "-o", theirs, "--task", task, "--label", label,
                    "--features", "flux,size", "--epochs", "20", "--seed", "3", *wanted],
                   check=True, capture_output=True)  # fmt: skip
    frame = pd.DataFrame(X, columns=["flux", "size"])
    if task == "multilabel":
        y = pd.DataFrame(y, columns=names)
    ours = kind(**EVERY).fit(frame, y, X_err=sigma, **more)
    ours.save(path)
    back = load(theirs)
    assert type(back) is kind and back.feature_names_in_.tolist() == ["flux", "size"]
    if task in ("ordinal", "multilabel"):
        assert back.classes_.tolist() == ours.classes_.tolist()
        wide = [f"p_{name}" for name in ours.classes_]
        answers = [model.predict_proba(frame, X_err=sigma) for model in (ours, back)]
    else:
        wide = ["mean", "sd", "q05", "q95"]
        answers = [
            np.column_stack([*model.predict(frame, X_err=sigma, return_std=True, **more),
                             model.predict_quantiles(frame, (0.05, 0.95), X_err=sigma, **more)])
            for model in (ours, back)
        ]  # fmt: skip
    assert np.array_equal(*answers)
    for model in (path, theirs):
        if more and model == path:
            continue  # our files do not say which column the exposure is
        done = subprocess.run([program, "predict", model, table, "--quantiles", "0.05,0.95"]
                              if "mean" in wide else [program, "predict", model, table],
                              check=True, capture_output=True, text=True)  # fmt: skip
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        found = np.array([[float(row[name]) for name in wide] for row in rows])
        assert np.array_equal(found, answers[0])


def test_errors_of_y_cross_with_the_program(program, tmp_path, path):
    """`evaluate` of a file of ours finds them in the table."""
    rng = np.random.default_rng(3)
    x, error = rng.uniform(-2, 2, 120), np.where(np.arange(120) % 2, 0.02, 2.0)
    table = pd.DataFrame({"x": x, "z": np.sin(2 * x) + error * rng.normal(size=120), "e_z": error})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit_table(table, "z", NoisyGPRegressor("exact", epochs=5, calibrate=False, random_state=0))
    model.save(path)
    done = subprocess.run([program, "evaluate", path, tmp_path / "t.csv", "--json"], check=True, capture_output=True)
    density = model.log_density(table[["x"]], table["z"], y_err=error)
    assert np.isclose(json.loads(done.stdout)["nll"]["value"], -density.mean(), rtol=1e-9)
    columns = from_table(table, "z")
    alone = NoisyGPRegressor("exact", epochs=5, calibrate=False, random_state=0).fit(columns.X, columns.y, y_err=columns.y_err)
    assert np.array_equal(alone.log_density(columns.X, columns.y, y_err=columns.y_err), density)


@pytest.mark.parametrize("kind", [NoisyGPClassifier, NoisyGPOrdinalClassifier])
@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (["1", "2", "10"], [1, 2, 10]),
        (["-1", "0", "+01"], [-1, 0, 1]),
        (["1", "1.50", "2e0"], [1.0, 1.5, 2.0]),
        (["1", "2", "1.0"], ["1", "2", "1.0"]),
        (["1", "2", "nan"], ["1", "2", "nan"]),
        (["1", "2", "many"], ["1", "2", "many"]),
    ],
)
def test_names_that_read_as_numbers_are_numbers(kind, names, meant, path):
    """As in files of the program, which has names only."""
    X, _, _, _ = make_targets(kind)
    number = np.arange(len(X)) % 3
    model = kind(**QUICK).fit(X, number)
    model._model.class_names = names
    model._model.save(path)
    assert Model.load(path).note("python.classes_dtype") is None
    for _ in range(2):  # from the program's file, and from one of ours
        back = kind.load(path)
        assert back.classes_.tolist() == meant
        assert [type(item) for item in back.classes_.tolist()] == [type(item) for item in meant]
        assert back._model.class_names == names
        frame = pd.DataFrame(X, columns=back.feature_names_in_)
        assert back.score(frame, np.array(meant)[number]) == model.score(X, number)
        back.save(path)
