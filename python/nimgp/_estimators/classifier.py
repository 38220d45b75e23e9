# SPDX-License-Identifier: Apache-2.0
"""Classes without an order."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from .classes import ClassEstimator
from .docstrings import documented


@documented
@dataclass(eq=False, repr=False)
class NoisyGPClassifier(ClassEstimator):
    """Gaussian-process classification for inputs with error bars.

    Each class has a latent function with a sparse Gaussian-process prior. The class of a row is
    that of the largest function. Inputs are measurements of true values; their 1-sigma errors are
    passed as ``X_err``.

    Parameters
    ----------
    likelihood : {choices of class}, default="robust_max"
        How labels depend on the latent functions. "robust_max": the class of the largest function,
        except for a share of wrong labels; "softmax": probabilities proportional to the
        exponentials of the functions; "probit": for two classes, with one latent function.
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    epsilon_ : float
        The share of wrong labels, learned or given; only with ``likelihood="robust_max"``.
    {class_attributes}
    {attributes}

    Notes
    -----
    {notes}

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.uniform(-2, 2, size=(200, 2))
    >>> y = np.where(truth[:, 0] > 0, "right", "left")
    >>> sigma = rng.uniform(0.1, 0.5, size=truth.shape)
    >>> X = truth + sigma * rng.normal(size=truth.shape)
    >>> clf = NoisyGPClassifier(random_state=0).fit(X, y, X_err=sigma)
    >>> [str(c) for c in clf.predict([[1.5, 0.0], [-1.5, 0.0]], X_err=0.1)]
    ['right', 'left']
    """

    _: KW_ONLY
    likelihood: str = "robust_max"
    epsilon: float = 1e-3
    learn_epsilon: bool = False

    _target: ClassVar[str] = "class"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {
        "robust_max": ("epsilon",),
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.likelihood != "probit"
        return tags

    def _find_classes(self, y: Any, classes: Any, rows: int) -> Any:
        found = super()._find_classes(y, classes, rows)
        if self.likelihood == "probit" and len(found) > 2:
            raise ValueError(  # in scikit-learn's words first
                "Only binary classification is supported. The type of the target is multiclass: "
                f"likelihood probit is for 2 classes, there are {len(found)}"
            )
        return found
