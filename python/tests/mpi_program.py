# SPDX-License-Identifier: Apache-2.0
"""What test_mpi.py starts by mpirun: `mpi_program.py TASK DIRECTORY`. Every process runs all of it."""

import pathlib
import pickle
import sys

import numpy as np
from mpi4py import MPI
from sklearn.base import clone

from nimgp import NoisyGPClassifier, NoisyGPCountRegressor, NoisyGPRegressor

COMM = MPI.COMM_WORLD
QUICK = {"inducing": 8, "epochs": 3, "stop": "fixed", "warm_up": 5, "points": 16, "batch": 40,
         "n_jobs": 1}  # fmt: skip


def problem(rows=100):
    source = np.random.default_rng(3)
    y = source.integers(0, 3, rows)
    X = source.normal(size=(rows, 2)) + 2.0 * np.array([[0, 1], [1, -1], [-1, -1]])[y]
    return X, y, source.uniform(0.1, 0.6, X.shape)


def content(model, directory):
    """The bytes of its file."""
    path = directory / f"model-{COMM.Get_rank()}"
    model.save(path)
    return path.read_bytes()


def all_alike(*things):
    for thing in things:
        assert len(set(COMM.allgather(thing))) == 1, "processes differ"


def fit(directory):
    """Models of several kinds; the first process leaves them for the test."""
    X, y, X_err = problem()
    kinds = {name: NoisyGPClassifier(input=name, random_state=3, comm=COMM, **QUICK)
             for name in ("exact", "marginal", "latent", "amortised")}  # fmt: skip
    kinds["numbers"] = NoisyGPRegressor(random_state=3, comm=COMM, **QUICK)
    kinds["counts"] = NoisyGPCountRegressor(random_state=3, comm=COMM, **QUICK)
    for name, model in kinds.items():
        bytes_of = content(model.fit(X, y, X_err=X_err), directory)
        all_alike(bytes_of)
        if COMM.Get_rank() == 0:
            (directory / name).write_bytes(bytes_of)
    drawn = NoisyGPClassifier(comm=COMM, **QUICK).fit(X, y)  # its seed is the first process's
    all_alike(content(drawn, directory))


def go_on(directory):
    """One process stops all; they go on to what they would have come to."""
    X, y, X_err = problem()
    last = COMM.Get_size() - 1
    stops = (lambda p: p.epoch == 1) if COMM.Get_rank() == last else False
    for name in ("marginal", "latent"):
        settings = dict(QUICK, input=name, random_state=1, comm=COMM)
        whole = NoisyGPClassifier(**settings).fit(X, y, X_err=X_err)
        model = NoisyGPClassifier(warm_start=True, progress=stops, **settings)
        model.fit(X, y, X_err=X_err)
        assert model.n_iter_ == 1, model.n_iter_
        model.set_params(progress=False).fit(X, y, X_err=X_err)
        assert content(model, directory) == content(whole, directory)
        model.partial_fit(X[:10], y[:10], X_err=X_err[:10])
        all_alike(content(model, directory))


def refuse(directory):
    """What is wrong in one process ends all."""
    X, y, X_err = problem()
    model = NoisyGPClassifier(random_state=1, comm=COMM, **QUICK)
    bad = X.copy()
    bad[17, 1] = np.inf
    mine = COMM.Get_rank() == 1
    try:
        model.fit(bad if mine else X, y, X_err=X_err)
    except ValueError as error:
        assert mine and "inf" in str(error), error
    except ConnectionError as error:
        assert not mine and str(error).startswith("process 1 failed: ValueError: "), error
    else:
        raise AssertionError("not refused")
    try:
        model.fit(X + (1 if mine else 0), y, X_err=X_err)
    except ValueError as error:
        assert "different rows" in str(error), error
    else:
        raise AssertionError("not refused")
    model.fit(X, y, X_err=X_err)  # and nothing is left of that
    all_alike(content(model, directory))


def copies(directory):
    """Clones share the communicator, pickles have none."""
    X, y, _ = problem()
    for comm in (COMM, COMM.Dup()):
        model = NoisyGPClassifier(comm=comm, random_state=1, **QUICK)
        assert clone(model).comm is comm and model.comm is comm
        model.fit(X, y)
        loaded = pickle.loads(pickle.dumps(model))
        assert loaded.comm is None and model.comm is comm
        assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


if __name__ == "__main__":
    for task in {"fit": [fit], "rest": [go_on, refuse, copies]}[sys.argv[1]]:
        task(pathlib.Path(sys.argv[2]))
