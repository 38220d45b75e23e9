# SPDX-License-Identifier: Apache-2.0
"""What experiments/redshifts.py compares: methods that predict the distribution of a number.

A method is made from training rows and a seed, and answers for other rows: the log density of the true y, a point
estimate, and P(Y <= y). Where a package is not there, making a method raises ImportError.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from nimgp import NoisyGPRegressor

LEVELS = np.arange(1, 40) / 40  # at which P(Y <= y) is looked at
LEAST = -14.0  # log density, so that one row does not decide


class Part(NamedTuple):
    X: np.ndarray  # NaN: not measured
    E: np.ndarray  # errors, likewise
    y: np.ndarray


class Answer(NamedTuple):
    density: np.ndarray  # log
    point: np.ndarray
    place: np.ndarray  # P(Y <= y); of some rows


def gaussian(y: np.ndarray, mean: np.ndarray, deviation: Any) -> Answer:
    return Answer(stats.norm.logpdf(y, mean, deviation), mean, stats.norm.cdf(y, mean, deviation))


def degraded(part: Part, usual: np.ndarray, seed: int) -> Part:
    """The rows and two copies with more noise, by 1 to 15 times the usual errors; for methods that are told of the
    errors by their size."""
    parts = [part]
    for copy in range(2):
        r = np.random.default_rng(500 + 2 * seed + copy)
        more = usual * np.exp(r.uniform(0, np.log(15), (len(part.y), 1)))
        error = np.where(np.isnan(part.E), usual, part.E)
        parts.append(Part(part.X + more * r.normal(size=part.X.shape), np.hypot(error, more), part.y))
    return Part(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class Features:
    """Magnitudes, colours and the logarithms of errors."""

    def __init__(self, train: Part, errors: bool = True, faintest: bool = False) -> None:
        self.errors = errors
        self.usual = np.nanmedian(train.E, 0)
        self.faintest = np.nanmax(train.X, 0) if faintest else None  # in place of what is missing

    def __call__(self, part: Part) -> np.ndarray:
        X = part.X if self.faintest is None else np.where(np.isnan(part.X), self.faintest, part.X)
        E = part.E if self.faintest is None else np.where(np.isnan(part.E), self.usual, part.E)
        return np.hstack([X, -np.diff(X, axis=1), *([np.log(E)] if self.errors else [])])


# ---------------------------------------------------------------- ours, and the simplest


class Ours:
    def __init__(self, train: Part, seed: int) -> None:
        self.model = NoisyGPRegressor(random_state=seed, n_jobs=1).fit(train.X, train.y, X_err=train.E)

    def predict(self, part: Part) -> Answer:
        quantiles = self.model.predict_quantiles(part.X, LEVELS, X_err=part.E)
        return Answer(
            self.model.log_density(part.X, part.y, X_err=part.E),
            self.model.predict(part.X, X_err=part.E),
            np.array([np.interp(y, row, LEVELS, 0, 1) for y, row in zip(part.y, quantiles, strict=True)]),
        )


class LeastSquares:
    """Quadratic in magnitudes."""

    def __init__(self, train: Part, seed: int) -> None:
        self.middle = np.nanmedian(train.X, 0)
        self.slope = np.linalg.lstsq(self.features(train), train.y, rcond=None)[0]
        self.deviation = (train.y - self.features(train) @ self.slope).std()

    def features(self, part: Part) -> np.ndarray:
        X = np.where(np.isnan(part.X), self.middle, part.X) - self.middle
        left, right = np.triu_indices(X.shape[1])
        return np.column_stack([np.ones(len(X)), X, X[:, left] * X[:, right]])

    def predict(self, part: Part) -> Answer:
        return gaussian(part.y, self.features(part) @ self.slope, self.deviation)


class Neighbours:
    """A mixture of normal distributions around the redshifts of the nearest rows in magnitudes and colours, of equal
    deviation. Their number and the deviation are chosen by a fifth of the training rows, held out."""

    def __init__(self, train: Part, seed: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.features = Features(train, errors=False, faintest=True)
        X = self.features(train)
        self.spread, self.y = X.std(0), train.y
        order = np.random.default_rng(seed).permutation(len(X))
        held, kept = order[: len(X) // 5], order[len(X) // 5 :]
        near = NearestNeighbors().fit((X / self.spread)[kept])
        found = train.y[kept][near.kneighbors((X / self.spread)[held], 80, return_distance=False)]
        choices = [(k, train.y.std() * 2.0**-h) for k in (5, 10, 20, 40, 80) for h in range(1, 9)]
        self.count, self.deviation = max(
            choices, key=lambda c: mixture(train.y[held], found[:, : c[0]], c[1]).density.clip(LEAST).mean()
        )
        self.near = NearestNeighbors().fit(X / self.spread)

    def predict(self, part: Part) -> Answer:
        X = self.features(part) / self.spread
        return mixture(part.y, self.y[self.near.kneighbors(X, self.count, return_distance=False)], self.deviation)


def mixture(y: np.ndarray, centres: np.ndarray, deviation: float) -> Answer:
    each = stats.norm.logpdf(y[:, None], centres, deviation)
    return Answer(
        np.logaddexp.reduce(each, axis=1) - np.log(centres.shape[1]),
        np.median(centres, axis=1),
        stats.norm.cdf(y[:, None], centres, deviation).mean(1),
    )


# ---------------------------------------------------------------- boosting


class CatBoost:
    """A normal distribution; mean and deviation are learned."""

    copies = False

    def __init__(self, train: Part, seed: int) -> None:
        from catboost import CatBoostRegressor

        self.features = Features(train)
        rows = degraded(train, self.features.usual, seed) if self.copies else train
        self.model = CatBoostRegressor(loss_function="RMSEWithUncertainty", thread_count=1, verbose=0,
                                       random_seed=seed, allow_writing_files=False)  # fmt: skip
        self.model.fit(self.features(rows), rows.y)

    def predict(self, part: Part) -> Answer:
        mean, variance = self.model.predict(self.features(part)).T
        return gaussian(part.y, mean, np.sqrt(variance))


class CatBoostCopies(CatBoost):
    copies = True


class NGBoost:
    """A normal distribution, by natural gradients."""

    def __init__(self, train: Part, seed: int) -> None:
        from ngboost import NGBRegressor

        self.features = Features(train, faintest=True)
        self.model = NGBRegressor(random_state=seed, verbose=False).fit(self.features(train), train.y)

    def predict(self, part: Part) -> Answer:
        found = self.model.pred_dist(self.features(part)).params
        return gaussian(part.y, found["loc"], found["scale"])


class Quantiles:
    """Histogram boosting of scikit-learn, for each of 11 quantiles. Between two of them the density is constant, beyond
    the outermost it falls exponentially."""

    copies = False
    levels = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98])

    def __init__(self, train: Part, seed: int) -> None:
        from sklearn.ensemble import HistGradientBoostingRegressor

        self.features = Features(train)
        rows = degraded(train, self.features.usual, seed) if self.copies else train
        self.least = 1e-3 * train.y.std()  # between two quantiles
        X = self.features(rows)
        self.models = [
            HistGradientBoostingRegressor(loss="quantile", quantile=level, random_state=seed, early_stopping=True)
            .fit(X, rows.y)
            for level in self.levels
        ]  # fmt: skip

    def predict(self, part: Part) -> Answer:
        X = self.features(part)
        q = np.sort(np.column_stack([model.predict(X) for model in self.models]), axis=1)
        q[:, 1:] = q[:, :1] + np.cumsum(np.maximum(np.diff(q, axis=1), self.least), axis=1)
        rows, y, last = np.arange(len(q)), part.y, len(self.levels) - 1
        k = (q <= y[:, None]).sum(1)  # quantiles below y
        left, right = np.clip(k - 1, 0, last - 1), np.clip(k, 1, last)
        width, share = q[rows, right] - q[rows, left], (self.levels[right] - self.levels[left])
        density = np.log(share / width)
        place = self.levels[left] + share * (y - q[rows, left]) / width
        for outside, edge, way, mass in (
            (k == 0, q[:, 0], -1, self.levels[0]),
            (k > last, q[:, -1], 1, 1 - self.levels[-1]),
        ):
            rate = share / width / mass  # continuous at the edge
            away = way * (y - edge)
            density = np.where(outside, np.log(mass * rate) - rate * away, density)
            tail = mass * np.exp(-rate * np.abs(away))
            place = np.where(outside, tail if way < 0 else 1 - tail, place)
        return Answer(density, q[:, len(self.levels) // 2], place)


class QuantilesCopies(Quantiles):
    copies = True


# ---------------------------------------------------------------- stages of RAIL


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """In a folder of its own, as stages write files, and silent."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class Rail:
    """An informer and an estimator with their defaults. What is missing is at the faintest magnitude, and its error 1,
    as the stages have it."""

    copies = False

    def __init__(self, train: Part, seed: int) -> None:
        bands = [f"m{j}" for j in range(train.X.shape[1])]
        self.top = 1.05 * float(train.y.max())
        self.columns = {
            "bands": bands, "err_bands": [f"{band}_err" for band in bands], "ref_band": bands[len(bands) // 2],
            "mag_limits": dict(zip(bands, np.nanmax(train.X, 0).tolist(), strict=True)),
            "nondetect_val": float("nan"), "hdf5_groupname": "",
        }  # fmt: skip
        self.usual = np.nanmedian(train.E, 0)
        with apart():
            self.inform(degraded(train, self.usual, seed) if self.copies else train, seed)

    def table(self, part: Part) -> dict[str, np.ndarray]:
        columns = dict(zip(self.columns["bands"], part.X.T.copy(), strict=True))
        error = np.where(np.isnan(part.E) & ~np.isnan(part.X), self.usual, part.E)
        return {**columns, **dict(zip(self.columns["err_bands"], error.T.copy(), strict=True)), "redshift": part.y}

    def stage(self, make: Any, **options: Any) -> Any:
        from rail.core.data import DataStore

        DataStore.allow_overwrite = True
        return make.make_stage(name=make.__name__, **self.columns, **options)


class GPz(Rail):
    bases = 50

    def inform(self, train: Part, seed: int) -> None:
        from rail.estimation.algos.gpz import GPzInformer

        np.random.seed(seed)  # the stage draws its validation rows from it
        replaced = {"replace_error_vals": self.usual.tolist()}
        informer = self.stage(
            GPzInformer, redshift_col="redshift", n_basis=self.bases, seed=seed, model="m.pkl", **replaced
        )
        informer.inform(self.table(train))
        self.model = informer.model

    def predict(self, part: Part) -> Answer:
        from rail.estimation.algos.gpz import _prepare_data

        bands, errors, limits = (self.columns[key] for key in ("bands", "err_bands", "mag_limits"))
        inputs = _prepare_data(self.table(part), bands, errors, float("nan"), limits, True, self.usual)
        mean, variance, *_ = self.model.predict(inputs)
        return gaussian(part.y, np.ravel(mean), np.sqrt(np.ravel(variance)))


class GPz100(GPz):
    bases = 100


class GPzCopies(GPz100):
    copies = True


class FlexZBoost(Rail):
    """Its point estimate is the mode."""

    def inform(self, train: Part, seed: int) -> None:
        from rail.estimation.algos.flexzboost import FlexZBoostInformer

        informer = self.stage(
            FlexZBoostInformer, redshift_col="redshift", zmin=0.0, zmax=self.top, nzbins=301, seed=seed, model="m.pkl",
            include_mag_err=self.copies,
        )  # fmt: skip
        informer.inform(self.table(train))
        self.model = informer.model

    def predict(self, part: Part) -> Answer:
        from rail.estimation.algos.flexzboost import make_color_data

        table = self.table(part)
        for band, error in zip(self.columns["bands"], self.columns["err_bands"], strict=True):
            gone = np.isnan(table[band])
            table[band][gone], table[error][gone] = self.columns["mag_limits"][band], 1.0
        columns = (self.columns[key] for key in ("bands", "err_bands", "ref_band"))
        colours = make_color_data(table, *columns, include_mag_err=self.copies)
        density, grid = self.model.predict(colours, n_grid=301)
        grid = np.ravel(grid)
        below = np.cumsum((density[:, 1:] + density[:, :-1]) / 2 * np.diff(grid), axis=1)
        below = np.column_stack([np.zeros(len(below)), below])
        with np.errstate(divide="ignore"):
            at = np.log([np.interp(y, grid, row, 0, 0) for y, row in zip(part.y, density, strict=True)])
        place = np.array([np.interp(y, grid, row) for y, row in zip(part.y, below, strict=True)])
        return Answer(at, grid[density.argmax(1)], place)


class FlexZBoostCopies(FlexZBoost):
    """Told of the errors of colours."""

    copies = True


METHODS: dict[str, Callable[[Part, int], Any]] = {
    "nimgp": Ours,
    "GPz, 50 bases": GPz,
    "GPz, 100 bases": GPz100,
    "FlexZBoost": FlexZBoost,
    "CatBoost": CatBoost,
    "CatBoost, copies": CatBoostCopies,
    "HistGradientBoosting quantiles": Quantiles,
    "HistGradientBoosting quantiles, copies": QuantilesCopies,
    "NGBoost": NGBoost,
    "nearest neighbours": Neighbours,
    "quadratic least squares": LeastSquares,
    "GPz, 100 bases, copies": GPzCopies,
    "FlexZBoost, copies": FlexZBoostCopies,
}
