# SPDX-License-Identifier: Apache-2.0
"""What is timed, and the libraries that nimgp is compared with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
THREADS = 2
STEP_SIZE = 1e-3  # of Adam
EPOCH = 10  # batches a data set; scales the bound, costs nothing
WAIT_POLICY = "OMP_WAIT_POLICY"

Step = Callable[[], float]  # does one training step and returns the loss, minus the bound


@dataclass(frozen=True)
class Case:
    """What is timed: B rows, C classes, M inducing inputs a class, d attributes, a kernel, and
    whether in double or single precision."""

    shape: str
    kernel: str
    batch: int
    classes: int
    inducing: int
    attributes: int
    precision: str = "double"

    @property
    def name(self) -> str:
        name = f"{self.shape}/{self.kernel}"
        return name if self.precision == "double" else f"{name}/{self.precision}"

    @property
    def float_type(self) -> str:
        return "float64" if self.precision == "double" else "float32"


CASES = [
    Case("glass", "se", 50, 6, 10, 9),
    Case("synthetic", "se", 200, 3, 100, 2),
    Case("mnist", "se", 200, 10, 100, 784),
    Case("mnist", "polynomial", 200, 10, 100, 784),
    Case("glass", "se", 50, 6, 10, 9, "single"),
    Case("synthetic", "se", 200, 3, 100, 2, "single"),
    Case("mnist", "se", 200, 10, 100, 784, "single"),
]


@dataclass(frozen=True)
class Library:
    """A peer, and the environments its worker processes are started in, each with a remark."""

    name: str
    module: str
    likelihood: str
    packages: tuple[str, ...]
    environments: tuple[tuple[str, dict[str, str]], ...]


LIBRARIES = [
    Library(
        "GPflow",
        "gpflow",
        "robust-max, 20-point Gauss-Hermite",
        ("gpflow", "tensorflow-cpu", "tensorflow-probability", "tf-keras", "numpy"),
        (("", {"TF_CPP_MIN_LOG_LEVEL": "2"}),),
    ),
    Library(
        "GPyTorch",
        "gpytorch",
        "softmax, 10 samples",
        ("gpytorch", "linear-operator", "torch", "numpy"),
        # Threads that spin while they wait are the default: best alone, terrible in company.
        (("", {}), (", sleeping wait", {WAIT_POLICY: "passive"})),
    ),
]


class Failure(Exception):
    """Something that ends the run with one line."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
