# SPDX-License-Identifier: Apache-2.0
"""The part of the entropy that exact measurements would remove, beside the truth, on problems where it is known.

python -m experiments.entropy_parts [--seed 1] [--rows 3000]

Two normal attributes with errors of 0.4; three classes by the largest of three smooth random functions ("errors"), or drawn
from their softmax ("both"). The truth is an average over draws from p(x | x~), which is normal.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from nimgp import NoisyGPClassifier

ERROR, SOFTNESS, TESTED, DRAWS = 0.4, 0.3, 400, 1500
SHARP: dict[str, Any] = {"samples": 16, "population": "gaussian", "calibrate": False}
WAYS: list[dict[str, Any]] = [
    {}, SHARP, {**SHARP, "likelihood": "softmax"}, {**SHARP, "alpha": 0.0},
]  # fmt: skip


def entropy(p: np.ndarray) -> np.ndarray:
    return np.asarray(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=-1))


class Problem:
    def __init__(self, kind: str, seed: int) -> None:
        draws = np.random.default_rng([seed, 7])
        self.kind, self.random = kind, np.random.default_rng(seed)
        self.slope = draws.normal(size=(200, 2)) / 1.2
        self.phase = draws.uniform(0.0, 2 * np.pi, 200)
        self.height = draws.normal(size=(200, 3)) / 10

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        f = np.cos(x @ self.slope.T + self.phase) @ self.height
        if self.kind == "errors":
            return np.eye(3)[f.argmax(axis=-1)]
        p = np.exp(f / SOFTNESS)
        return np.asarray(p / p.sum(axis=-1, keepdims=True))

    def draw(self, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Measurements and labels."""
        x = self.random.normal(size=(rows, 2))
        sums = self.probabilities(x).cumsum(axis=-1)
        y = (sums > self.random.uniform(size=(rows, 1))).argmax(axis=-1)
        return x + ERROR * self.random.normal(size=x.shape), y

    def truth(self, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entropy of the class given the measurement, and given x."""
        share = 1.0 / (1.0 + ERROR**2)
        whole, rest = np.empty(len(measured)), np.empty(len(measured))
        for row, at in enumerate(measured):
            x = share * at + ERROR * np.sqrt(share) * self.random.normal(size=(DRAWS, 2))
            p = self.probabilities(x)
            whole[row], rest[row] = entropy(p.mean(axis=0)), entropy(p).mean()
        return whole, rest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=3000)
    given = parser.parse_args()
    print("| | settings | entropy | truth | measurement | truth | rank correlation, of the entropy | NLL |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in ("errors", "both"):
        problem = Problem(kind, given.seed)
        X, y = problem.draw(given.rows)
        seen, label = problem.draw(TESTED)
        whole, rest = problem.truth(seen)
        for way in WAYS:
            clf = NoisyGPClassifier(random_state=1, n_jobs=1, **way).fit(X, y, X_err=ERROR)
            found = clf.uncertainty(seen, X_err=ERROR)
            p = clf.predict_proba(seen, X_err=ERROR)[np.arange(TESTED), label]
            ranks = [spearmanr(part, whole - rest)[0] for part in (found.measurement, found.total)]
            print(f"| {kind} | {way} | {found.total.mean():.3f} | {whole.mean():.3f} | {found.measurement.mean():.3f} "
                  f"| {(whole - rest).mean():.3f} | {ranks[0]:.2f}, {ranks[1]:.2f} | {-np.log(p).mean():.3f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
