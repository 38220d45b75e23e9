# SPDX-License-Identifier: Apache-2.0
"""The package against the C library: the same structures, functions, options and bits."""

from __future__ import annotations

import re
import subprocess
import sys
import threading

import numpy as np
import pytest

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NumericalError,
    options,
)
from nimgp._estimators.settings import option_text, parameter_of, same_value
from nimgp._native import core, interface
from nimgp._native.model import Model
from nimgp._native.table import Table
from problems import ESTIMATORS, ROOT, make_problem, make_targets, uncalibrated


def test_structures_are_those_of_the_header(c_program):
    """What the compiler makes of the header is what the module says, which is written from it."""
    lines = c_program("layout").decode().splitlines()
    ours = set()
    for name in {line.split()[0] for line in lines}:
        structure = getattr(interface, "".join(map(str.capitalize, name.split("_")[1:])))
        ours.add(f"{name} size {core.ctypes.sizeof(structure)}")
        for field in structure._fields_:
            ours.add(f"{name} {field[0]} {getattr(structure, field[0]).offset}")
    assert ours == set(lines)


def test_the_interface_is_written_from_the_headers():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "interface.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    header = (ROOT / "include" / "nimgp.h").read_text()
    declared = set(re.findall(r"NIM_API[^;(]*?\b(nim_\w+)\(", header))
    assert len(declared) > 30
    assert declared <= set(interface.FUNCTIONS)
    assert core.BAD_FILE == interface.ENUMERATIONS["nim_status"].index("bad_file")


def test_parameters_have_the_defaults_of_their_options():
    for option in options():
        if option.name == "classes":  # comes from y
            continue
        name = parameter_of(option.name)
        owners = [kind for kind in ESTIMATORS if name in kind().get_params()]
        for kind in owners:
            default = kind().get_params()[name]
            if name == "likelihood":
                assert default in option.choices
            else:
                assert same_value(option_text(option.name, default), option.default), option


def test_messages_of_the_library_are_carried():
    with pytest.raises(ValueError, match=r"option kernel: 'cubic' is not one of auto, se, matern32, "):
        NoisyGPClassifier(kernel="cubic").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="random_state=-1: option seed: '-1' is not a whole number") as refused:
        NoisyGPClassifier(random_state=-1).fit([[0.0], [1.0]], [0, 1])
    assert refused.value.option == "seed"
    with pytest.raises(ValueError, match="3 inducing inputs are more than the 2 rows"):
        NoisyGPClassifier(inducing=3).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError) as refused:
        Model.create({}, Table(np.array([[0.0, 1.0], [2.0, np.inf]])))
    assert (refused.value.row, refused.value.attribute, refused.value.option) == (1, 1, None)
    with pytest.raises(ValueError) as refused:
        Model.create({"batch": "-1"}, Table(np.zeros((2, 2))))
    assert (refused.value.row, refused.value.attribute, refused.value.option) == (None, None, "batch")
    error = interface.Error(status=core.NUMERICAL, message=b"no factor")
    assert isinstance(core.exception(error.status, error), NumericalError)
    assert isinstance(core.exception(core.OUT_OF_MEMORY, error), MemoryError)


def write_table(path, X, sigma, labels=None, targets=None, exposure=None):
    """The form c_api.c reads."""
    sizes = [*X.shape, 0 if sigma is None else np.atleast_2d(sigma).shape[0], labels is not None,
             0 if targets is None else np.atleast_2d(targets.T).shape[0],
             exposure is not None]  # fmt: skip
    with path.open("wb") as file:
        for array in (np.array(sizes, np.uint64), X, sigma, labels, targets, exposure):
            file.write(b"" if array is None else array.tobytes())


@pytest.mark.parametrize(
    "input", ["auto", "marginal", "latent", "amortised", "first_order", "exact"]
)
@pytest.mark.parametrize("errors", ["cells", "attributes", "none"])
def test_results_are_the_c_programs_to_the_last_bit(c_program, tmp_path, input, errors):
    X, y, sigma, _ = make_problem(100)
    sigma = {"cells": sigma, "attributes": sigma[0], "none": None}[errors]
    labels = np.unique(y, return_inverse=True)[1].astype(np.int32)
    write_table(tmp_path / "table", X, sigma, labels)
    theirs = c_program("fit", tmp_path / "table", tmp_path / "model", f"input={input}",
                       "epochs=20", "batch=64", "calibrate=none", "seed=7")  # fmt: skip
    clf = NoisyGPClassifier(
        input, epochs=20, batch=64, calibrate=False, random_state=7
    )
    ours = clf.fit(X, y, X_err=sigma).predict_proba(X, X_err=0 if sigma is None else sigma)
    if sigma is None:
        ours = clf.predict_proba(X)
    density = clf.log_density(X, y, X_err=sigma)
    assert ours.tobytes() + density.tobytes() == theirs


def test_defaults_are_the_c_programs_to_the_last_bit(c_program, tmp_path):
    """All that the library chooses, learns of true inputs and calibrates."""
    X, y, sigma, _ = make_problem(60)
    X[::4, 1] = np.nan
    labels = np.unique(y, return_inverse=True)[1].astype(np.int32)
    write_table(tmp_path / "table", X, sigma, labels)
    theirs = c_program("fit", tmp_path / "table", tmp_path / "model", "epochs=3", "seed=7")
    clf = NoisyGPClassifier(epochs=3, random_state=7).fit(X, y, X_err=sigma)
    assert clf.temperature_ != 1 and clf._model.option("input") == "marginal"
    ours = clf.predict_proba(X, X_err=sigma).tobytes() + clf.log_density(X, y, X_err=sigma).tobytes()
    assert ours == theirs


@pytest.mark.parametrize(
    ("kind", "likelihood"),
    [(kind, likelihood) for kind in ESTIMATORS for likelihood in kind._quantities],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_target_is_the_c_programs_to_the_last_bit(c_program, tmp_path, kind, likelihood):
    X, y, sigma, _ = make_targets(kind)
    counts = kind is NoisyGPCountRegressor
    more = {"exposure": np.linspace(0.5, 2.0, len(X))} if counts else {}
    if kind._target in ("class", "level"):
        arrays = {"labels": np.unique(y, return_inverse=True)[1].astype(np.int32)}
    else:
        arrays = {"targets": y.astype(float), **more}
    table, model = tmp_path / "table", tmp_path / "model"
    write_table(table, X, sigma, **arrays)
    theirs = c_program(
        "fit",
        table,
        model,
        f"likelihood={likelihood}",
        "epochs=20",
        "batch=50",
        "points=40",
        "calibrate=none",
        "seed=5",
    )

    def ours(estimator):
        density = estimator.log_density(X, y, X_err=sigma, **more)
        if kind._target in ("number", "count"):
            mean, deviation = estimator.predict(X, X_err=sigma, return_std=True, **more)
            quantiles = estimator.predict_quantiles(X, (0.1, 0.7), X_err=sigma, **more)
            return b"".join(a.tobytes() for a in (mean, deviation, quantiles, density))
        return estimator.predict_proba(X, X_err=sigma).tobytes() + density.tobytes()

    chosen = {"likelihood": likelihood} if "likelihood" in kind().get_params() else {}
    chosen |= {"epochs": 20, "batch": 50, "points": 40, "random_state": 5}
    estimator = kind(**uncalibrated(kind, chosen))
    assert ours(estimator.fit(X, y, X_err=sigma, **more)) == theirs
    # Files cross both ways.
    back = kind.load(model)
    del back.feature_names_in_  # x1, x2: not known to the array X
    if kind._target in ("class", "level"):
        assert back.classes_.tolist() == list(range(len(back.classes_)))  # C names them so
        back.classes_ = estimator.classes_
    assert ours(back) == theirs
    estimator.save(model)
    assert c_program("predict", table, model) == theirs


def test_arrays_of_the_right_form_are_not_copied(problem, monkeypatch):
    seen = []
    create = Model.create.__func__
    monkeypatch.setattr(
        Model,
        "create",
        classmethod(lambda cls, o, table: seen.append(table) or create(cls, o, table)),
    )
    NoisyGPClassifier(epochs=1, calibrate=False).fit(problem.X, problem.y, X_err=problem.sigma)
    assert seen[0].data.x == problem.X.ctypes.data
    assert seen[0].data.sigma == problem.sigma.ctypes.data


def test_arrays_of_another_form_are_understood(problem):
    clf = NoisyGPClassifier(epochs=5, calibrate=False, random_state=0)
    X, sigma = problem.X.astype(np.float32), problem.sigma.astype(np.float32)
    plain = clf.fit(X.astype(float), problem.y, X_err=sigma.astype(float)).predict_proba(X, X_err=0)
    for form in (np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a.tolist()):
        clf.fit(form(X), problem.y, X_err=form(sigma))
        assert np.array_equal(clf.predict_proba(form(X), X_err=0), plain)


def test_other_threads_run_while_it_trains(problem):
    """Without a callback the library never lets Python in; a held lock would stop the counter."""
    labels = np.unique(problem.y, return_inverse=True)[1].astype(np.int32)
    table = Table(problem.X, problem.sigma, labels)
    options = {"epochs": "400", "stop": "fixed", "threads": "1", "input": "latent",
               "calibrate": "none"}  # fmt: skip
    model = Model.create(options, table)
    turns, training, trained = [0], threading.Event(), threading.Event()

    def count():
        training.wait()
        while not trained.is_set():
            turns[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    training.set()
    before = turns[0]
    status = core.library.nim_model_train(
        model._handle, table.reference, interface.ProgressFunction(0), None, None
    )
    after = turns[0]
    trained.set()
    counter.join()
    assert status == core.OK and after > before + 1000
