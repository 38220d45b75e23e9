# SPDX-License-Identifier: Apache-2.0
"""Stages of RAIL: redshift distributions and classes from magnitudes with errors.

``NimgpInformer`` and ``NimgpEstimator`` learn and predict p(z), as ``qp`` ensembles; ``NimgpClassInformer`` and
``NimgpClassifier`` learn and predict classes. Columns and guard values are those of RAIL: ``bands`` with the
errors ``err_bands``; a magnitude ``nondetect_val`` (99) was not detected, so that it is fainter than the limit of
its band in ``mag_limits``; ``nonobserved_val`` (-99) or NaN was not observed, so that it is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import qp
from ceci.config import StageParameter as Param
from rail.core.common_params import SharedParams
from rail.core.data import TableHandle
from rail.estimation.classifier import CatClassifier
from rail.estimation.estimator import CatEstimator
from rail.estimation.informer import CatInformer

from ._base.errors import Errors
from ._estimators.classifier import NoisyGPClassifier
from ._estimators.files import of_bytes
from ._estimators.inputs import plain_numbers
from ._estimators.partition import as_bytes
from ._estimators.regressor import NoisyGPRegressor

__all__ = ["NimgpClassInformer", "NimgpClassifier", "NimgpEstimator", "NimgpInformer"]

_COLUMNS = {
    name: SharedParams.copy_param(name)
    for name in ("bands", "err_bands", "mag_limits", "nondetect_val", "nonobserved_val")
}
_TRAINING = {
    "settings": Param(dict, {}, msg="parameters of the estimator; none has to be set"),
    "seed": Param(int, 0, msg="seed of the random numbers"),
}
# Levels of the quantiles that describe p(z).
_LEVELS = np.concatenate([[0.001, 0.005], np.arange(0.01, 1.0, 0.01), [0.995, 0.999]])


def _magnitudes(data: Any, config: Any) -> tuple[np.ndarray, Errors]:
    """Magnitudes and their errors; limits where nothing was detected."""
    bands, errors = list(config.bands), list(config.err_bands)
    if len(errors) != len(bands):
        raise ValueError(f"err_bands has {len(errors)} names, bands {len(bands)}; expected one each")
    X, sigma = _stacked(data, bands), _stacked(data, errors)
    undetected = np.isclose(X, config.nondetect_val)
    missing = ~np.isfinite(X) | np.isclose(X, config.nonobserved_val)
    for column, band in enumerate(bands):
        if undetected[:, column].any():
            if band not in config.mag_limits:
                raise ValueError(f"mag_limits has no limit for {band}, which was not detected in some rows")
            X[undetected[:, column], column] = config.mag_limits[band]
    X[missing] = np.nan
    guarded = undetected | missing
    sigma[guarded] = np.where(undetected[guarded], 0.0, np.nan)
    sigma[~np.isfinite(sigma) | (sigma < 0)] = np.nan  # unknown
    return X, Errors(sigma, limit=undetected.astype(np.int8) if undetected.any() else None)


def _stacked(data: Any, names: list[str]) -> np.ndarray:
    """Columns side by side, NaN where they are masked."""
    return np.column_stack([plain_numbers(np.ma.asarray(data[name], dtype=float), name) for name in names])


def _group(data: Any, config: Any) -> Any:
    return data[config.hdf5_groupname] if config.hdf5_groupname else data


class _Columns:
    """Stages that need magnitudes, their errors and perhaps a target."""

    config: Any

    def validate(self) -> None:
        stage: Any = self
        stage._get_stage_columns()
        stage._check_column_names(stage.get_handle("input", allow_missing=True), stage.stage_columns)

    def _get_stage_columns(self) -> None:
        self.stage_columns = [*self.config.bands, *self.config.err_bands]


class _Informer(_Columns, CatInformer):
    """Learns from magnitudes; the model is the content of a model file, so that its pickle holds no
    training rows."""

    _kind: Any
    _target_option: str

    def run(self) -> None:
        data = _group(self.get_data("input"), self.config)
        X, X_err = _magnitudes(data, self.config)
        y = np.asarray(data[self.config[self._target_option]])
        estimator = self._kind(random_state=self.config.seed, **self.config.settings)
        self.model = as_bytes(estimator.fit(X, y, X_err=X_err))
        self.add_data("model", self.model)

    def _get_stage_columns(self) -> None:
        super()._get_stage_columns()
        self.stage_columns.append(self.config[self._target_option])


class NimgpInformer(_Informer):
    """Learns redshifts from magnitudes with errors."""

    name = "NimgpInformer"
    entrypoint_function = "inform"
    interactive_function = "nimgp_informer"
    config_options = CatInformer.config_options.copy()
    config_options.update(redshift_col=SharedParams.copy_param("redshift_col"), **_COLUMNS, **_TRAINING)
    _kind, _target_option = NoisyGPRegressor, "redshift_col"


class NimgpClassInformer(_Informer):
    """Learns classes from magnitudes with errors."""

    name = "NimgpClassInformer"
    entrypoint_function = "inform"
    interactive_function = "nimgp_class_informer"
    config_options = CatInformer.config_options.copy()
    config_options.update(class_col=Param(str, "class", msg="name of the column of classes"), **_COLUMNS, **_TRAINING)
    _kind, _target_option = NoisyGPClassifier, "class_col"


class _Predicts(_Columns):
    """Opens a model once; one thread a process, because RAIL runs one process a core."""

    _estimator: Any = None

    def open_model(self, **kwargs: Any) -> Any:
        content = super().open_model(**kwargs)  # type: ignore[misc]
        content = getattr(content, "data", content)
        self._estimator = None if content is None else of_bytes(bytes(content))
        if self._estimator is not None:
            self._estimator.n_jobs = 1
        return content


class NimgpEstimator(_Predicts, CatEstimator):
    """Predicts p(z), as quantiles in a ``qp`` ensemble."""

    name = "NimgpEstimator"
    entrypoint_function = "estimate"
    interactive_function = "nimgp_estimator"
    config_options = CatEstimator.config_options.copy()
    config_options.update(**_COLUMNS)

    def _process_chunk(self, start: int, end: int, data: Any, first: bool) -> None:
        X, X_err = _magnitudes(data, self.config)
        quantiles = self._estimator.predict_quantiles(X, _LEVELS, X_err=X_err)
        gaps = np.maximum(np.diff(quantiles, axis=1), 1e-9)  # qp needs them to grow
        locations = np.column_stack([quantiles[:, :1], quantiles[:, :1] + np.cumsum(gaps, axis=1)])
        ensemble = qp.Ensemble(qp.quant, data={"quants": _LEVELS, "locs": locations})
        self._do_chunk_output(ensemble, start, end, first, data=data)


class NimgpClassifier(_Predicts, CatClassifier):
    """Predicts classes: a table of probabilities ``p_CLASS`` and the most probable ``class``."""

    name = "NimgpClassifier"
    entrypoint_function = "classify"
    interactive_function = "nimgp_classifier"
    config_options = CatClassifier.config_options.copy()
    config_options.update(id_col=SharedParams.copy_param("id_col"), **_COLUMNS)
    outputs = [("output", TableHandle)]

    def run(self) -> None:
        data = _group(self.get_data("input"), self.config)
        X, X_err = _magnitudes(data, self.config)
        p = self._estimator.predict_proba(X, X_err=X_err)
        classes = self._estimator.classes_
        known = self.config.id_col in data
        rows = {self.config.id_col: np.asarray(data[self.config.id_col])} if known else {"row_index": np.arange(len(p))}
        named = {f"p_{label}": p[:, c] for c, label in enumerate(classes)}
        self.add_data("output", rows | named | {"class": classes[p.argmax(axis=1)]})
