#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package in several threads at once: fits, and predictions of one estimator by all. Run by
scripts/tsan.sh with a library that ThreadSanitizer watches; each thread must get what it gets alone.

usage: PYTHONPATH=FOLDER_OF_THE_PACKAGE check_python_races.py"""
import concurrent.futures
import tempfile

import numpy as np

import nimgp

AT_ONCE = 4
QUICK = {"epochs": 2, "stop": "fixed", "inducing": 4, "random_state": 0, "n_jobs": 2}


def problem():
    source = np.random.RandomState(1)
    X = source.normal(size=(24, 2))
    return X, (X[:, 0] > 0).astype(int), source.uniform(0.1, 0.5, X.shape)


def fitted(kind):
    X, y, sigma = problem()
    if kind % 2:
        return nimgp.NoisyGPRegressor(**QUICK).fit(X, X[:, 0], X_err=sigma).predict(X, X_err=sigma)
    return nimgp.NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma).predict_proba(X, X_err=sigma)


def at_once(work, argument):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, [argument(i) for i in range(AT_ONCE)]))


def main():
    alone = [fitted(0), fitted(1)]
    for i, answer in enumerate(at_once(fitted, lambda i: i)):
        assert np.array_equal(answer, alone[i % 2]), "fits at once"

    X, y, sigma = problem()
    shared = nimgp.NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    for answer in at_once(lambda s: shared.predict_proba(X, X_err=s), lambda i: sigma):
        assert np.array_equal(answer, alone[0]), "predictions of one estimator at once"

    with tempfile.TemporaryDirectory() as place:
        def save(i):
            shared.save(f"{place}/{i}")
            return open(f"{place}/{i}", "rb").read()

        assert len(set(at_once(save, lambda i: i))) == 1, "saves of one estimator at once"
    print("python: fits, predictions and saves at once")


if __name__ == "__main__":
    main()
