# SPDX-License-Identifier: Apache-2.0
"""The base of estimators of one class per row, with or without an order of the classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from .._base.errors import ErrorsLike
from .._base.masks import refuse_masked
from .._native.model import Model
from .._native.table import Table
from .blocks import is_dask, predict_blocks
from .docstrings import shared_texts
from .estimator import Estimator
from .inputs import (
    check_labels,
    check_rows,
    check_weights,
    refuse_mixed_labels,
    weigh_classes,
)
from .prior import check_prior
from .rows import Given
from .uncertainty import UncertaintyMethods

if TYPE_CHECKING:
    from typing_extensions import Self

_NOTE_DTYPE = "python.classes_dtype"

_WHOLE = r"[+-]?[0-9]+"
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


class NamedClasses(UncertaintyMethods, ClassifierMixin, Estimator):
    """An estimator of classes, levels or labels. It keeps ``classes_`` in model files, with their type."""

    __metadata_request__predict_proba = {"X_err": True}

    def _are_right(self, y: Any, found: np.ndarray) -> np.ndarray:
        """Which rows have a true y that is as predicted."""
        raise NotImplementedError

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
    ) -> float:
        """The share of correct predictions; of sets, the share of rows whose labels are all right.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.
        y : array-like of shape (n,), of sets (n, L)
            True labels. Not needed where :func:`fit_table` fitted and X is a table
            that has them.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X, y, X_err = self._read_labelled(X, y, X_err)
        right = self._are_right(y, self.predict(X, X_err=X_err))
        weights = check_weights(refuse_masked(sample_weight, "sample_weight"), right)
        return float(np.average(right, weights=weights))

    def _note_down(self, model: Model) -> None:
        names, kind = _texts(self.classes_)
        if not _read_as(model.class_names, self.classes_):  # else as the file's maker wrote them
            model.class_names = names
        model.set_note(_NOTE_DTYPE, kind)
        super()._note_down(model)

    @classmethod
    def _of(cls, model: Model) -> Self:
        self = super()._of(model)
        self.classes_ = _classes(model.class_names, model.note(_NOTE_DTYPE))
        return self


@dataclass(eq=False, repr=False)
class ClassEstimator(NamedClasses):
    """An estimator of one class per row."""

    _: KW_ONLY
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    calibrate: bool = True

    __metadata_request__predict_log_proba = {"X_err": True}

    # ------------------------------------------------------------------ learning

    def _find_classes(self, y: Any, classes: Any, rows: int) -> Any:
        y = check_rows(_check_y(refuse_masked(y), estimator=self), rows)
        refuse_mixed_labels(y)
        self._check_kind(y)
        present = np.unique(y)
        if len(present) == 1:
            raise ValueError(
                f"y has only one class, {present.tolist()[0]!r} in {len(y)} rows; expected at "
                "least two"
            )
        return present if classes is None else classes

    def _check_kind(self, y: np.ndarray) -> None:
        """Raises ValueError if y does not look like classes."""
        check_classification_targets(y)

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        return {"labels": check_labels(y, classes, rows)}

    @classmethod
    def _of(cls, model: Model) -> Self:
        self = super()._of(model)
        if model.note(_NOTE_DTYPE) is None:
            self.classes_ = _numbers_if_they_are(self.classes_)
        return self

    def _weigh(
        self, sample_weight: Any, values: np.ndarray, classes: Any, targets: dict[str, np.ndarray]
    ) -> np.ndarray | None:
        of_rows = check_weights(sample_weight, values)
        of_classes = weigh_classes(self.class_weight, classes, targets["labels"])
        if of_rows is None or of_classes is None:
            return of_rows if of_classes is None else of_classes
        return of_rows * of_classes

    def _look_inside(self) -> None:
        super()._look_inside()
        self.temperature_ = float(self._model.get("temperature")[0])
        self.calibration_offsets_ = self._model.get("calibration_offsets")
        self.class_shares_ = self._model.get("class_shares")
        self.panel_weights_ = self._model.get("panel_weights").reshape(2, -1)
        self.panel_views_ = [self._model.view(k) for k in range(self.panel_weights_.shape[1])]

    def _are_right(self, y: Any, found: np.ndarray) -> np.ndarray:
        y = check_rows(column_or_1d(refuse_masked(y)), len(found))
        return np.equal(y.astype(object), found.astype(object)).astype(bool)

    @staticmethod
    def _in_order(classes: Any) -> np.ndarray:
        """Classes that the user listed, in the order of their numbers."""
        return unique_labels(classes)

    @shared_texts
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        {adding_rows}

        Parameters
        ----------
        X, y, X_err, sample_weight
            As in :meth:`fit`; the new rows only. The first must have at least two classes.
        classes : array-like, optional
            All classes of all calls. Required in the first call, unless `fit` was called before.

        Returns
        -------
        self
        """
        refuse_masked(classes, "classes")
        listed = None if classes is None else self._in_order(classes)
        if listed is None and not hasattr(self, "_model"):
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if listed is not None and hasattr(self, "_model") and not np.array_equal(self.classes_, listed):
            raise ValueError(
                f"classes={list(np.asarray(classes))} differ from those of the first call, "
                f"{self.classes_.tolist()}"
            )
        return self._learn_more(Given(X, y, X_err, sample_weight), listed)

    # ------------------------------------------------------------------ predicting

    def predict_proba(
        self, X: ArrayLike, *, X_err: ErrorsLike | None = None, prior: Any = None
    ) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table, Dask array or frame
            Measurements; NaN means missing.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors, as in :meth:`fit`. 0 means that the values are exact. So does None, with
            a warning if the estimator was trained with errors.
        prior : array-like of shape (n_classes,), dict or Series of shares by class, "auto" or None
            The shares of the classes among these rows, if they differ from those in training.
            "auto" estimates them from the rows, see :meth:`estimate_prior`; Dask collections need
            shares.

        Returns
        -------
        ndarray of shape (n, n_classes)
            In the order of ``classes_``; each row sums to one. A Dask array if X is a Dask
            collection.
        """
        if is_dask(X):
            check_is_fitted(self)
            return predict_blocks(
                self, "predict_proba", X, X_err, prior, len(self.classes_), np.float64
            )
        table = Table(*self._rows_to_predict(X, X_err))
        model, shares = self._ready_model(), None
        if isinstance(prior, str) and prior == "auto":
            shares = model.estimate_shares(model.predict(table, "probabilities")["probabilities"])
        elif prior is not None:
            shares = check_prior(prior, self.classes_)
        return model.predict(table, "probabilities", shares=shares)["probabilities"]

    def estimate_prior(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """Estimates the shares of the classes among rows without labels.

        The estimate maximises the likelihood by expectation maximisation (Saerens, Latinne and
        Decaestecker, 2002). It is valid if only the shares differ and each class looks as it did in
        training (label shift), not if the classes themselves look different.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_classes,)
            In the order of ``classes_``; they sum to one.
        """
        p = self._predict(X, X_err, "probabilities")["probabilities"]
        return self._model.estimate_shares(p)

    def typical(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The probability that a row's errors are such as training rows have, given its values.

        It decides which fits of a panel are heard: where it is 1, those of the first row of
        ``panel_weights_``; where errors are larger than in training, those of the second; where
        they are smaller, the plain fit alone.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._ask_panel(X, X_err, "typical")

    def fit_weights(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The weight that each fit of the panel has in each row.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, fits)
            In the order of ``panel_views_``; they sum to one.
        """
        return self._ask_panel(X, X_err, "fit_weights")

    def _ask_panel(self, X: ArrayLike, X_err: ErrorsLike | None, wanted: str) -> np.ndarray:
        check_is_fitted(self)
        if not self.panel_views_:
            raise ValueError("the model is one fit, without a panel; see views")
        return self._predict(X, X_err, wanted)[wanted]

    def predict_set(
        self, X: ArrayLike, coverage: float = 0.9, *, X_err: ErrorsLike | None = None
    ) -> np.ndarray:
        """Sets of classes that contain the true class with a given coverage, for each class.

        The probabilities are compared with those of rows that were held out in training (conformal
        prediction). The coverage holds for each class, so it also holds if the shares of the
        classes differ from those in training.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.
        coverage : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        ndarray of bool of shape (n, n_classes)
            Which classes are in the set of each row; a set may be empty, or contain all classes.
        """
        if not isinstance(coverage, Real) or not 0 < coverage < 1:
            raise ValueError(f"coverage={coverage!r} is not between 0 and 1")
        check_is_fitted(self)
        if not len(self._model.get("plausibility_rows")):
            raise ValueError(
                "the model has no sets of classes: no rows were held out in training; fit it again "
                "with calibrate=True and at least 40 rows"
            )
        return self._predict(X, X_err, "plausibility")["plausibility"] > 1 - coverage

    def predict_log_proba(
        self, X: ArrayLike, *, X_err: ErrorsLike | None = None, prior: Any = None
    ) -> np.ndarray:
        """Logarithms of the class probabilities; arguments as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return np.log(self.predict_proba(X, X_err=X_err, prior=prior))

    def predict(
        self, X: ArrayLike, *, X_err: ErrorsLike | None = None, prior: Any = None
    ) -> np.ndarray:
        """The most probable class; arguments as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n,)
        """
        if is_dask(X):
            check_is_fitted(self)
            return predict_blocks(self, "predict", X, X_err, prior, None, self.classes_.dtype)
        best = np.argmax(self.predict_proba(X, X_err=X_err, prior=prior), axis=1)
        return self.classes_[best]


# ---------------------------------------------------------------------- texts and what they mean


def _texts(classes: np.ndarray) -> tuple[list[str], str]:
    """Classes as texts, and the type needed to convert them back."""
    items = classes.tolist()
    if classes.dtype.kind in "biuf":
        return [repr(item) for item in items], classes.dtype.str
    if all(isinstance(item, str) for item in items):
        return items, "str" if classes.dtype.kind == "U" else "object"
    raise ValueError(
        f"classes of type {type(items[0]).__name__} cannot be kept in a model file; use numbers or "
        "texts, or pickle the classifier"
    )


def _numbers_if_they_are(names: np.ndarray) -> np.ndarray:
    """Class names as numbers, integers if all are whole; unchanged if any is not a number."""
    for pattern, kind in ((_WHOLE, int), (_NUMBER, float)):
        if all(re.fullmatch(pattern, name) for name in names.tolist()):
            try:
                numbers = np.array([kind(name) for name in names.tolist()], dtype=kind)
            except OverflowError:
                return names
            return numbers if len(np.unique(numbers)) == len(names) else names
    return names


def _read_as(names: list[str], classes: np.ndarray) -> bool:
    """Whether these numbers are the values of the names."""
    numbers = _numbers_if_they_are(np.array(names))
    return all(a.dtype.kind in "iuf" for a in (numbers, classes)) and np.array_equal(
        numbers, classes
    )


def _classes(names: list[str], kind: str | None) -> np.ndarray:
    if kind in (None, "str"):
        return np.array(names)
    if kind == "object":
        return np.array(names, dtype=object)
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        return np.array([name == "True" for name in names])
    return np.array([float(n) if dtype.kind == "f" else int(n) for n in names]).astype(dtype)
