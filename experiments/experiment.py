# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: its settings, its methods, and how one run of it is done.

A run is one method on one setting in one repeat. Settings are named as in the paper's list of
figures (`published.py`), for instance "noise=0.1 set=glass", so that both find each other.

Who runs is the run's protocol:

    published   the paper's method with the paper's settings (methods.py)
    right       the same with the right error bars, where the authors' code mixed them up (astro)
    told        the same with noise that is learned in training and told in prediction (uci)
    averaged    the same with predictions averaged over draws of the test inputs (baselines)
    unwhitened  the same with q(u) as in the authors' code, not whitened (uci;
                NIMGP_NN and NIMGP_FO as told)
    started     unwhitened, with learned noise that starts at the injected variance (uci)
    smoother    the same on problems with smoother functions than described (synthetic)
    together    the same on inputs standardised by one mean and deviation for all attributes (mnist)
    epoch       the same with a few epochs, for the time they take (satellite of uci, mnist, active)
    ours        nimgp at its defaults; "given" is told the error bars, "learned" learns them;
                "given alpha=0,caution=1" has other parameters than the defaults
    peers       scikit-learn's classifiers (classifiers.py), which have no place for error bars
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from .classifiers import all_classes, mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np

from nimgp import NoisyGPClassifier

ROOT = Path(__file__).parents[1]
PROTOCOLS = ("published", "right", "told", "averaged", "unwhitened", "started", "smoother", "together",
             "epoch", "ours", "peers")  # fmt: skip
CHECKS = {  # of a reason
    "right": "right error bars",
    "told": "noise told in prediction",
    "averaged": "prediction averaged over draws",
    "unwhitened": "q(u) not whitened",
    "started": "learned noise starts at the injected",
    "smoother": "problems with smoother functions",
    "together": "attributes standardised together",
}


class Task(NamedTuple):
    protocol: str
    method: str
    setting: str
    repeat: int


SHORT = (60, 40)  # rows to learn from and to test on, to see that an experiment runs


class Place(NamedTuple):
    """Where a run finds what it needs, and how long it may take."""

    data: Path  # folder of data sets
    program: Path  # nimgp, to make problems up
    short: bool = False  # a few rows and steps, to see that it runs
    threads: int = 1

    def rows(self, train: int, test: int) -> tuple[int, int]:
        return SHORT if self.short else (train, test)


class Problem(NamedTuple):
    """Rows to learn from and rows to test on; X_err is None where nothing is known of errors."""

    X: np.ndarray
    y: np.ndarray  # 0, 1, ...
    X_err: np.ndarray | float | None
    X_test: np.ndarray
    y_test: np.ndarray
    X_test_err: np.ndarray | float | None
    classes: int
    best: np.ndarray | None = None  # the Bayes optimum's probabilities of the test rows

    def cut(self, rows: int, test_rows: int) -> Problem:
        """The first rows only; every class stays known."""

        def head(err: Any, count: int) -> Any:
            return err[:count] if np.ndim(err) == 2 else err

        return self._replace(
            X=self.X[:rows], y=self.y[:rows], X_err=head(self.X_err, rows),
            X_test=self.X_test[:test_rows], y_test=self.y_test[:test_rows],
            X_test_err=head(self.X_test_err, test_rows),
            best=None if self.best is None else self.best[:test_rows],
        )  # fmt: skip


class Outcome(NamedTuple):
    seed: int
    nll: float
    error: float
    seconds: float  # of a processor, for fit and prediction
    detail: dict[str, Any] = {}  # what else came of it
    also: tuple[tuple[Task, Outcome], ...] = ()  # other runs that the same training gave


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    table: str | None  # its name in the list of published figures
    settings: tuple[str, ...]
    methods: dict[str, tuple[str, ...]]  # by protocol
    run: Callable[[Task, Place], Outcome]
    needs: tuple[str, ...] = ()  # files in the data folder
    repeats: int = 100  # as published
    most_repeats: int = 1_000_000  # fewer where splits are given
    short: tuple[str, ...] = ()  # settings of the short variant; the first one where empty
    single: bool = False  # the paper shows one problem or one run, not a mean over repeats
    leaves_out: Callable[[str, str, str], bool] = field(default=lambda *_: False)
    # Another experiment's name and its run that is the same: problem, seed, method; None: there is none.
    same: Callable[[Task], tuple[str, Task] | None] = field(default=lambda _: None)
    # The task of whose training this one's run comes, too; None: it has a training of its own.
    comes_with: Callable[[Task], Task | None] = field(default=lambda _: None)
    # More of the report, from the runs: lines of Markdown; writes figures into the folder.
    sections: Callable[[list, Path], list[str]] = field(default=lambda *_: [])

    def tasks(
        self,
        protocols: list[str],
        repeats: range,
        keep: Callable[[Task], bool],
        changes: Sequence[str] = (),
    ) -> Iterator[Task]:
        """All settings and methods of a repeat before the next, so that what is there is balanced.

        Each of `changes` is one more run of `ours`, with these parameters in place of its defaults.
        """
        for repeat in repeats:
            for setting in self.settings:
                for protocol in protocols:
                    for method in self.methods.get(protocol, ()):
                        if self.leaves_out(protocol, method, setting):
                            continue
                        for change in ["", *changes] if protocol == "ours" else [""]:
                            task = Task(protocol, f"{method} {change}".strip(), setting, repeat)
                            if keep(task):
                                yield task


def fields(setting: str) -> dict[str, str]:
    """ "given noise=0.1" as {"mode": "given", "noise": "0.1"}; "6 attributes" has mode 6."""
    found: dict[str, str] = {}
    for word in setting.split():
        name, equals, value = word.partition("=")
        found.setdefault(*(name, value) if equals else ("mode", name))
    return found


def errors(X_err: Any) -> dict[str, Any]:
    return {} if X_err is None else {"X_err": X_err}


def fit(estimator: Any, problem: Problem, with_errors: bool) -> None:
    """nimgp is told of all classes, also of one that no training row has."""
    given = (problem.X, problem.y)
    if isinstance(estimator, NoisyGPClassifier):
        classes = np.arange(problem.classes)
        estimator.partial_fit(*given, classes, **errors(problem.X_err if with_errors else None))
    else:
        estimator.fit(*given)


def fit_and_score(
    estimator: Any, problem: Problem, seed: int, with_errors: bool = True
) -> tuple[Outcome, np.ndarray]:
    """One run; `with_errors`: the estimator is given them."""
    begin = time.process_time()
    fit(estimator, problem, with_errors)
    given = estimator.predict_proba(problem.X_test, **errors(problem.X_test_err if with_errors else None))
    seconds = time.process_time() - begin
    p = all_classes(estimator, given, problem.classes)
    return outcome(p, problem, seed, seconds, learned_noise(estimator)), p


def outcome(
    p: np.ndarray, problem: Problem, seed: int, seconds: float, detail: dict[str, Any]
) -> Outcome:
    y = problem.y_test
    if problem.best is not None:
        wrong = float((problem.best.argmax(axis=1) != y).mean())
        detail = {"best_nll": round(mean_nll(problem.best, y), 5), "best_error": wrong} | detail
    error = float((p.argmax(axis=1) != y).mean())
    return Outcome(seed, float(mean_nll(p, y)), error, seconds, detail)


def learned_noise(estimator: Any) -> dict[str, Any]:
    if getattr(estimator, "noise", "given") == "given":
        return {}
    return {"noise": [float(f"{v:.3g}") for v in estimator.noise_variance_]}
