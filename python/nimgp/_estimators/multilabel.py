# SPDX-License-Identifier: Apache-2.0
"""Sets of labels."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .._base.errors import ErrorsLike
from .classes import NamedClasses
from .docstrings import documented, shared_texts
from .inputs import check_sets


@documented
@dataclass(eq=False, repr=False)
class NoisyGPMultiLabelClassifier(NamedClasses):
    """Sets of labels that depend on inputs with error bars.

    A row may have any number of L labels, also none or all. A few latent functions with sparse
    Gaussian-process priors are combined by a learned map into one score for each label, so
    that labels that occur together share information. Inputs are measurements of true values; their
    1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        The labels: the names of the columns of y if it has names, otherwise their numbers.
    map_ : ndarray of shape (L, functions)
        Contribution of each latent function to the score of each label.
    offsets_ : ndarray of shape (L,)
        The score of each label where the latent functions are zero.
    {attributes}

    Notes
    -----
    {notes}

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 2))
    >>> y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X.sum(axis=1) > 0]).astype(int)
    >>> model = NoisyGPMultiLabelClassifier(epochs=200, random_state=0).fit(X, y)
    >>> model.predict([[1.5, 1.5], [-1.5, -1.5]]).tolist()
    [[1, 1, 1], [0, 0, 0]]
    """

    _: KW_ONLY
    functions: int | None = None

    likelihood: ClassVar[str] = "multilabel"
    _target: ClassVar[str] = "labels"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {"multilabel": ("map", "offsets")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.target_tags.two_d_labels = True
        return tags

    # ------------------------------------------------------------------ learning

    def _find_classes(self, y: Any, classes: Any, rows: int) -> Any:
        names = list(y.columns) if hasattr(y, "columns") else None
        sets = check_sets(y, rows, names)
        if names is None or not all(isinstance(name, str) for name in names):
            return np.arange(sets.shape[1])
        return np.array(names, dtype=object)

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        named = classes is not None and classes.dtype.kind == "O"
        sets = check_sets(y, rows, classes.tolist() if named else None)
        if sets.shape[1] != len(classes):
            raise ValueError(f"y has {sets.shape[1]} columns; expected {len(classes)}, one per label")
        return {"targets": sets}

    def _are_right(self, y: Any, found: np.ndarray) -> np.ndarray:
        sets = self._read_targets(y, self.classes_, len(found))["targets"]
        return (sets == found).all(axis=1)

    def _shaped(self, name: str, values: np.ndarray) -> np.ndarray:
        return values.reshape(self._model.classes, -1) if name == "map" else values

    # ------------------------------------------------------------------ predicting

    @shared_texts
    def predict_proba(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The probability of each label.

        Parameters
        ----------
        {X}
        {new_X_err}

        Returns
        -------
        ndarray of shape (n, L)
            Each between 0 and 1; a row need not sum to one.
        """
        return self._predict(X, X_err, "probabilities")["probabilities"]

    def predict(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The labels that are more probable than not; arguments as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of int, of shape (n, L)
            1 if a row has the label, otherwise 0.
        """
        return (self.predict_proba(X, X_err=X_err) > 0.5).astype(int)
