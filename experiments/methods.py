# SPDX-License-Identifier: Apache-2.0
"""The classifiers of a run: the paper's methods with its settings, and nimgp's own defaults."""

from __future__ import annotations

import ast
import time
from dataclasses import dataclass, replace
from typing import Any

from .classifiers import PEERS, all_classes
from .experiment import SHORT, Outcome, Place, Problem, Task, errors, fit_and_score, outcome

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np

from nimgp import NoisyGPClassifier
from nimgp import options as library_options

INPUT_OF = {
    "MGP": "exact",
    "NIMGP": "narrow",  # q(x) as published: it starts narrow and does not follow V
    "NIMGP_NN": "networks",  # as published: they start away from the measurements
    "NIMGP_FO": "first_order",
    "MGP_aug": "augmented",
    "MGP_sampling": "resampled",
}
ALL = ("MGP", "NIMGP", "NIMGP_NN", "NIMGP_FO")
OURS = ("given", "learned")
CHOSEN_PEERS = (
    "RandomForest",
    "HistGradientBoosting",
    "SVC(probability=True)",
    "GaussianProcessClassifier",
)
MOST_GP_ROWS = 1000  # scikit-learn's Gaussian process takes the cube of the rows
SHORT_EPOCHS = 2


@dataclass(frozen=True)
class Protocol:
    """The settings of one of the paper's experiments."""

    rate: float
    epochs: int
    batch: int
    inducing: int
    layers: int = 1
    units: int = 50
    noise: str = "given"
    noise_start: float = 0.1
    kernel: str = "se"
    degree: int = 9
    jitter: float = 1e-3 / np.e  # 1e-3, where the kernel's variance starts at e
    epsilon: float = 1e-3
    white: float = float(np.exp(-20))  # variance at the start
    whiten: bool = True  # the authors do not whiten; README.md says which runs here do not
    near: bool = False  # NIMGP_NN starts at the measurements

    def estimator(
        self, method: str, rows: int, classes: int, seed: int, place: Place
    ) -> NoisyGPClassifier:
        """Plain variational inference: no population, no calibration, one draw, constant rate."""
        # The authors' MGP has a share eps/C of each class in place of eps/(C-1) of the others.
        share = (classes - 1) / classes if method.startswith("MGP") else 1.0
        near = self.near and method == "NIMGP_NN"
        return NoisyGPClassifier(
            "amortised" if near else INPUT_OF[method],
            noise="given" if method.startswith("MGP") else self.noise,
            kernel=self.kernel,
            degree=self.degree,
            inducing=min(self.inducing, rows),
            epsilon=self.epsilon * share,
            alpha=0.0,
            caution=1.0,
            lengthscale_prior=0.0,
            population="flat",
            missing="ignore",
            calibrate=False,
            stop="fixed",
            epochs=SHORT_EPOCHS if place.short else self.epochs,
            rate=self.rate,
            batch=self.batch,
            warm_up=0,
            samples=1,
            layers=self.layers,
            units=self.units,
            options={
                "noise_start": self.noise_start,
                "lengthscale_rate": 0.5,  # the paper's l_j, which Adam moves, is a square
                "last_batch": "rest",  # however few: they then count for all
                "row_steps": "always",  # q(x) of all rows moves in every step
                "jitter": self.jitter,
                "whiten": self.whiten,
                "white_start": self.white,
                "standardise": False,
            },
            precision="single",  # the authors' too
            random_state=seed,
            n_jobs=place.threads,
        )


def literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def ours(method: str, seed: int, place: Place) -> NoisyGPClassifier:
    """nimgp's defaults, but for the changes in the method's name; "learned" is not told errors."""
    noise, _, changes = method.partition(" ")
    settings: dict[str, Any] = {"noise": noise}
    for change in filter(None, changes.split(",")):
        name, _, value = change.partition("=")
        settings[name] = literal(value)
    if place.short:
        settings |= {"epochs": SHORT_EPOCHS, "calibrate": False, "inducing": 10}
    research = {option.name for option in library_options() if option.tier == "research"}
    options = {name: settings.pop(name) for name in research & set(settings)}
    return NoisyGPClassifier(random_state=seed, n_jobs=place.threads, options=options, **settings)


def run_method(
    task: Task, place: Place, problem: Problem, protocol: Protocol, seed: int
) -> tuple[Outcome, np.ndarray, Any]:
    """Outcome, probabilities of the test rows, and the estimator."""
    if place.short:
        problem = problem.cut(*SHORT)
    if task.protocol == "peers":
        estimator = PEERS[task.method](problem.X, problem.y)
        with_errors = False
    elif task.method.split()[0] in OURS:
        estimator = ours(task.method, seed, place)
        with_errors = estimator.noise == "given"
    else:
        estimator = protocol.estimator(task.method, len(problem.X), problem.classes, seed, place)
        with_errors = estimator.noise == "given"
    out, p = fit_and_score(estimator, problem, seed, with_errors)
    return out, p, estimator


def time_epochs(
    task: Task, place: Place, problem: Problem, protocol: Protocol, epochs: int, fits: int = 1
) -> Outcome:
    """The time of a few epochs of the paper's protocol, whose runs train `fits` times.

    `whole`: what a run would take, in core-seconds, but for its prediction.
    """
    if place.short:
        problem = problem.cut(*SHORT)
    few = replace(protocol, epochs=epochs)
    estimator = few.estimator(task.method, len(problem.X), problem.classes, task.repeat, place)
    given = estimator.noise == "given"
    wall, core = time.perf_counter(), time.process_time()
    estimator.fit(problem.X, problem.y, **errors(problem.X_err if given else None))
    wall, core = time.perf_counter() - wall, time.process_time() - core
    problem = problem.cut(len(problem.X), 40)
    p = estimator.predict_proba(problem.X_test, **errors(problem.X_test_err if given else None))
    done = SHORT_EPOCHS if place.short else epochs
    detail = {"seconds_per_epoch": wall / done, "core_seconds_per_epoch": core / done,
              "whole": core / done * protocol.epochs * fits, "threads": place.threads}  # fmt: skip
    rounded = {name: float(f"{value:.4g}") for name, value in detail.items()}
    return outcome(all_classes(estimator, p, problem.classes), problem, task.repeat, core, rounded)
