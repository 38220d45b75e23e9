# SPDX-License-Identifier: Apache-2.0
"""Classes with an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.validation import column_or_1d

from .._native.model import Model
from .classes import ClassEstimator
from .docstrings import documented
from .inputs import check_labels

if TYPE_CHECKING:
    from typing_extensions import Self


@documented
@dataclass(eq=False, repr=False)
class NoisyGPOrdinalClassifier(ClassEstimator):
    """Ordered classes, or levels, that depend on inputs with error bars.

    The level is given by a latent function with a sparse Gaussian-process prior and thresholds: it
    is the interval that contains the value of the function. Inputs are measurements of true values;
    their 1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    classes : sequence or None, default=None
        All levels from the lowest to the highest. None: those of y, which must be numbers or an
        ordered pandas Categorical. Texts have no order, so they must be listed.
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The levels, from the lowest to the highest.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Thresholds between the levels, on the scale of the latent function.
    {class_attributes}
    {attributes}

    Notes
    -----
    {notes}
    Every level needs at least one row.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 1))
    >>> y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.7, 0.7])]
    >>> model = NoisyGPOrdinalClassifier(classes=["low", "middle", "high"], epochs=200, random_state=0)
    >>> model = model.fit(X, y)
    >>> [str(level) for level in model.predict([[-1.5], [0.0], [1.5]])]
    ['low', 'middle', 'high']
    """

    _: KW_ONLY
    classes: Sequence[Any] | None = None

    likelihood: ClassVar[str] = "ordinal"
    _target: ClassVar[str] = "level"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {"ordinal": ("thresholds",)}

    def _find_classes(self, y: Any, classes: Any, rows: int) -> Any:
        if classes is None and self.classes is not None:
            classes = self._in_order(self.classes)
        if classes is None:
            classes = _own_order(y)
        if classes is None:
            return _refuse_texts(super()._find_classes(y, None, rows))
        check_labels(y, classes, rows)
        super()._find_classes(y, classes, rows)
        present = set(column_or_1d(y).tolist())
        for level in classes.tolist():
            if level not in present:
                raise ValueError(f"y: no row has the level {level!r}; every level needs one")
        return classes

    def _check_kind(self, y: np.ndarray) -> None:
        """Levels may be any numbers, such as 1.5, if several rows share each."""
        finite = y.dtype.kind == "f" and np.isfinite(y).all()
        if not (finite and 2 * len(np.unique(y)) <= len(y)):
            super()._check_kind(y)

    @staticmethod
    def _in_order(classes: Any) -> np.ndarray:
        levels = np.asarray(classes)
        if levels.ndim != 1 or len(set(levels.tolist())) != len(levels):
            raise ValueError(f"classes={classes!r} are not levels that differ from each other")
        return levels

    def _shaped(self, name: str, values: np.ndarray) -> np.ndarray:
        return values

    @classmethod
    def _of(cls, model: Model) -> Self:
        self = super()._of(model)
        by_size = self.classes_.dtype.kind in "biuf" and (np.diff(self.classes_) > 0).all()
        if not by_size:
            self.classes = self.classes_.tolist()
        return self


def _own_order(y: Any) -> np.ndarray | None:
    """The levels of an ordered pandas Categorical that occur; None for any other y."""
    dtype: Any = getattr(y, "dtype", None)
    if not getattr(dtype, "ordered", False):
        return None
    present = set(np.asarray(y).tolist())
    return np.array([level for level in dtype.categories.tolist() if level in present])


def _refuse_texts(levels: np.ndarray) -> np.ndarray:
    for level in levels.tolist():
        if isinstance(level, (str, bytes)):
            raise ValueError(
                f"y holds texts, such as {level!r}, which have no order; list all "
                "levels from the lowest to the highest, as in classes=['low', 'middle', 'high'], "
                "or pass y as an ordered pandas Categorical"
            )
    return levels
