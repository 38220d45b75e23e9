# SPDX-License-Identifier: Apache-2.0
"""Short fits, for tests of the program."""
import os

from cli_check import blobs

# Under sanitizers, which are slow, fewer kills and shorter trainings.
FEWER = "NIMGP_FEWER_ROWS" in os.environ

# One thread: these fits are too small for two. same_bytes uses more.
QUICK = ["--calibrate", "none", "--epochs", "10" if FEWER else "30", "--stop", "fixed", "--inducing", "10", "--warm-up",
         "20", "--threads", "1"]


def fit(nimgp, table, model, *more):
    return nimgp("fit", table, "-o", model, *QUICK, *more)


def inspect(nimgp, model):
    return nimgp("inspect", model, "--json").json()


def train(nimgp, rows=120, **more):
    return nimgp.write_rows("train.csv", *blobs(rows, **more))
