# SPDX-License-Identifier: Apache-2.0
"""Model files of estimators."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._native.model import Model
from ..tables._recipe import Recipe
from ..tables._units import as_note, from_note
from . import settings

if TYPE_CHECKING:
    from typing_extensions import Self

    from .estimator import Estimator

# Notes in a model file, for what the library itself does not keep.
_NOTE_NAMED = "python.features_named"
_NOTE_ERRORS = "python.errors_given"
_NOTE_EXPOSURE = "python.exposure_given"
_NOTE_UNITS = "units"  # as the program has it


class FileMethods:
    """Writes and reads model files. A subclass names the library's kind of target, ``_target``."""

    _target: ClassVar[str]
    _of_target: ClassVar[dict[str, type[Any]]] = {}
    _model: Model
    _units: dict[str, str]
    _had_errors: bool
    _had_exposure: bool
    feature_names_in_: np.ndarray
    _look_inside: Any

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "_target" in vars(cls):
            FileMethods._of_target[cls._target] = cls

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which the command-line program and the C library can also read.

        Classes that are numbers, texts or booleans have the same type when the file is loaded.

        Parameters
        ----------
        path : str or path-like
            The file is replaced atomically: it is always complete, the old or the new one.
        """
        check_is_fitted(self)
        with self._model.alone():
            self._note_down(self._model)
            self._model.save(path)

    def _note_down(self, model: Model) -> None:
        """Stores names, classes and units in the model's notes."""
        named = hasattr(self, "feature_names_in_")
        if named:
            model.attribute_names = [str(name) for name in self.feature_names_in_]
            model.set_note(_NOTE_UNITS, as_note(model.attribute_names, self._units))
        if hasattr(self, "_recipe"):
            self._recipe.note_down(model)
        model.set_note(_NOTE_NAMED, "yes" if named else "no")
        model.set_note(_NOTE_ERRORS, "yes" if self._had_errors else "no")
        model.set_note(_NOTE_EXPOSURE, "yes" if self._had_exposure else "no")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Loads an estimator from a model file of this package, the program or the C library.

        In files of the command-line program attributes have names; one called ``log(x)`` expects the
        logarithm of x, see :func:`nimgp.from_table`. Their classes are texts, or numbers if all
        class names are numbers. Parameters that were left to the library still are; ``nimgp inspect``
        says what it chose.

        Parameters
        ----------
        path : str or path-like
            A file of another kind of model is refused; :func:`nimgp.load` reads all kinds.

        Returns
        -------
        An estimator of this class.
        """
        model = Model.load(path)
        if model.target != cls._target:
            raise ValueError(
                f"{os.fspath(path)}: its likelihood is {model.option('likelihood')}, so it is for "
                f"{cls._of_target[model.target].__name__}, not {cls.__name__}"
            )
        return cls._of(model)

    @classmethod
    def _of(cls, model: Model) -> Self:
        """An estimator around a model."""
        self: Any = cls()
        self.set_params(**settings.parameters_of(model, self.get_params()))
        self._model = model
        self._rows = None
        self.n_features_in_ = model.attributes
        if model.note(_NOTE_NAMED) != "no":
            self.feature_names_in_ = np.array(model.attribute_names, dtype=object)
        if model.note("label"):  # it was a table
            self._recipe = Recipe.of_model(model)
        self._units = from_note(model.attribute_names, model.note(_NOTE_UNITS))
        given = model.note(_NOTE_ERRORS)
        self._had_errors = given == "yes" if given else bool(model.note("errors"))
        given = model.note(_NOTE_EXPOSURE)
        self._had_exposure = given == "yes" if given else bool(model.note("option.exposure"))
        self.history_ = np.empty((0, 2))
        self._look_inside()
        return self


def of_bytes(content: bytes) -> Estimator:
    """The estimator whose model file has this content."""
    return _of_any(Model.from_bytes(content))


def load(path: str | os.PathLike[str]) -> Estimator:
    """Loads an estimator of any kind from a model file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    NoisyGPClassifier, NoisyGPOrdinalClassifier, NoisyGPMultiLabelClassifier, NoisyGPRegressor or NoisyGPCountRegressor
    """
    return _of_any(Model.load(path))


def _of_any(model: Model) -> Estimator:
    return FileMethods._of_target[model.target]._of(model)
