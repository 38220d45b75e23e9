# SPDX-License-Identifier: Apache-2.0
"""The classifier."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_y, check_is_fitted

from ._inputs import check_labels, check_weights, check_x, check_x_err
from ._model import Model, Table
from ._progress import Bar, Progress


class Denoised(NamedTuple):
    """Where the true inputs of rows are believed to be.

    Attributes
    ----------
    mean : ndarray of shape (n, d)
    std : ndarray of shape (n, d)
    """

    mean: np.ndarray
    std: np.ndarray


class Uncertainty(NamedTuple):
    """How uncertain the class of each row is, in nats, and why; all of shape (n,).

    Attributes
    ----------
    total : ndarray
        Entropy of the class probabilities, the sum of the other three.
    measurement : ndarray
        What exact measurements of the row's inputs would remove on average.
    model : ndarray
        What more training data would remove then.
    label : ndarray
        What nothing removes: label noise.
    """

    total: np.ndarray
    measurement: np.ndarray
    model: np.ndarray
    label: np.ndarray


# Which of the library's options a parameter sets.
_OPTION_OF = {
    "input_model": "input",
    "noise": "noise",
    "kernel": "kernel",
    "n_inducing": "inducing",
    "epsilon": "epsilon",
    "learn_epsilon": "learn_epsilon",
    "max_epochs": "epochs",
    "stop": "stop",
    "batch_size": "batch",
    "learning_rate": "rate",
    "warm_up": "warm_up",
    "n_draws": "samples",
    "n_points": "points",
    "noise_start": "noise_start",
    "degree": "degree",
    "likelihood": "likelihood",
    "n_layers": "layers",
    "n_units": "units",
    "prior_variance": "prior_variance",
    "jitter": "jitter",
    "standardise": "standardise",
    "random_state": "seed",
    "n_jobs": "threads",
}

# Notes in a model file, for what the library itself does not keep.
_NOTE_DTYPE = "python.classes_dtype"
_NOTE_NAMED = "python.features_named"
_NOTE_ERRORS = "python.errors_given"


def _as_text(value: Any) -> str:
    """A parameter's value as the library reads it; None stands for its own choice, 0."""
    if value is None:
        return "0"
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    return str(value).replace("-", "_")


class NoisyGPClassifier(ClassifierMixin, BaseEstimator):
    """Gaussian-process classification for inputs with error bars.

    Each class has a latent function with a sparse Gaussian-process prior, and the largest of them
    wins. Inputs are measurements of true values; their 1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    input_model : {"latent", "amortised", "first_order", "exact", "augmented", "resampled"}, \
            default="latent"
        How error bars are used. "latent" infers the true inputs of every training row; "amortised"
        does so by a network and keeps nothing for each row; "first_order" turns input noise into
        output noise; "exact" ignores error bars; the last two are baselines.
    noise : {"given", "learned", "both"}, default="given"
        Input noise: the error bars as given, one learned variance per attribute, or their sum.
    kernel : {"se", "matern32", "matern52", "polynomial"}, default="se"
        How smooth the boundaries are.
    n_inducing : int or None, default=None
        Inducing inputs per class. None: a fifth of the rows, but 20 to 100.
    epsilon : float, default=1e-3
        Share of wrong labels.
    learn_epsilon : bool, default=False
        Whether that share is learned, starting from `epsilon`.
    max_epochs : int or None, default=None
        Passes over the data: the most with ``stop="auto"``, exactly so many with ``stop="fixed"``.
        None: 10000 steps, but at least 100 passes.
    stop : {"auto", "fixed"}, default="auto"
        Stop when the bound has settled, or after all epochs at a constant rate.
    batch_size : int, default=200
        Rows in a minibatch.
    learning_rate : float, default=0.02
        Step size of Adam.
    warm_up : int, default=1000
        Steps in which the draws of noisy inputs grow to their full width.
    n_draws : int, default=1
        Places each row is looked at in a training step.
    n_points : int, default=256
        Quasi-random points a noisy row is averaged over in prediction.
    noise_start : float or None, default=None
        Where a learned noise variance starts, in units of the attribute's variance. None leaves it
        to the input model.
    degree : int, default=3
        Degree of the polynomial kernel.
    likelihood : {"robust_max"}, default="robust_max"
        How labels follow from the latent functions.
    n_layers, n_units : int, default=2 and 50
        Hidden layers of the amortised model's network, and the width of each.
    prior_variance : float, default=1000
        Variance of the prior of true inputs, in standard units.
    jitter : float, default=1e-6
        Added to the diagonal of covariances, in units of the kernel's variance.
    standardise : bool, default=True
        Whether attributes are brought to mean 0 and deviation 1. No scaler is needed.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, as in scikit-learn; they multiply `sample_weight`.
    warm_start : bool, default=False
        Whether `fit` goes on from where the model is. X may then hold more rows than before, the
        old ones first. After an interrupt and with the same data, training goes on to the same
        bits as if it had never been interrupted.
    random_state : int, RandomState or None, default=None
        An int is the library's seed: same data, same seed, same result. None draws one.
    n_jobs : int or None, default=None
        Threads. None: as many as there are processors, or as OMP_NUM_THREADS says; joblib sets that
        in its workers. Negative: as in scikit-learn, -1 for all processors. Results do not depend
        on it.
    progress : bool or callable, default=False
        True shows a progress bar (tqdm where installed). A function is called with a
        :class:`Progress` after every epoch and several times a second during long ones; training
        stops when it returns something true.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when the columns of X had names.
    lengthscales_ : ndarray of shape (n_classes, n_features_in_)
        Lengthscales of each class's kernel, in the units of X.
    noise_variance_ : ndarray of shape (n_features_in_,)
        Learned noise variances, in the units of X squared; zeros when noise is given.
    relevance_ : ndarray of shape (n_features_in_,)
        How much each attribute matters, the largest being 1.
    epsilon_ : float
        The share of wrong labels, learned or given.
    elbo_ : float
        Evidence lower bound, the mean over the last epoch.
    n_iter_ : int
        Epochs the model was trained for.
    n_inducing_ : int
        Inducing inputs per class.
    history_ : ndarray of shape (n_iter_, 2)
        Epoch and bound, a row for each epoch; empty after :meth:`load`.

    Notes
    -----
    ``NaN`` in X is a missing value, ``NaN`` in `X_err` an unknown error (the attribute's median
    stands in), an error of 0 an exact value. With metadata routing enabled, `X_err` is requested
    by `fit`, `score` and the methods that predict, so nothing has to be set.

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

    __metadata_request__fit = {"X_err": True}
    __metadata_request__partial_fit = {"X_err": True}
    __metadata_request__predict = {"X_err": True}
    __metadata_request__predict_proba = {"X_err": True}
    __metadata_request__predict_log_proba = {"X_err": True}
    __metadata_request__score = {"X_err": True}

    def __init__(
        self,
        input_model: str = "latent",
        noise: str = "given",
        kernel: str = "se",
        n_inducing: int | None = None,
        *,
        epsilon: float = 1e-3,
        learn_epsilon: bool = False,
        max_epochs: int | None = None,
        stop: str = "auto",
        batch_size: int = 200,
        learning_rate: float = 0.02,
        warm_up: int = 1000,
        n_draws: int = 1,
        n_points: int = 256,
        noise_start: float | None = None,
        degree: int = 3,
        likelihood: str = "robust_max",
        n_layers: int = 2,
        n_units: int = 50,
        prior_variance: float = 1000.0,
        jitter: float = 1e-6,
        standardise: bool = True,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        progress: bool | Callable[[Progress], Any] = False,
    ) -> None:
        self.input_model = input_model
        self.noise = noise
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.epsilon = epsilon
        self.learn_epsilon = learn_epsilon
        self.max_epochs = max_epochs
        self.stop = stop
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warm_up = warm_up
        self.n_draws = n_draws
        self.n_points = n_points
        self.noise_start = noise_start
        self.degree = degree
        self.likelihood = likelihood
        self.n_layers = n_layers
        self.n_units = n_units
        self.prior_variance = prior_variance
        self.jitter = jitter
        self.standardise = standardise
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> NoisyGPClassifier:
        """Learns from measurements, their errors and labels.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        y : array-like of shape (n,)
            Labels: numbers or texts.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors: of each cell, of each attribute, or of all. NaN means unknown, 0 or None
            exact.
        sample_weight : array-like of shape (n,), optional
            Each row's share of the bound is multiplied by its weight.

        Returns
        -------
        NoisyGPClassifier
            The classifier itself.

        Notes
        -----
        An interrupt (Ctrl-C) stops training after the step under way and raises KeyboardInterrupt.
        The classifier can predict with what it had learned by then; with ``warm_start=True`` a
        further `fit` with the same data goes on.
        """
        if self.warm_start and hasattr(self, "_model"):
            return self._go_on(self._check_table(X, y, X_err, sample_weight))
        return self._begin(X, y, None, X_err, sample_weight)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        X_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> NoisyGPClassifier:
        """Adds rows to those it has learned from, and learns on.

        The model infers the true inputs of every row, so it needs the rows it saw: `fit` and this
        keep them with the classifier (and in its pickles, not in model files). A call goes on from
        where the model is, with the old rows and the new, until the bound has settled again or for
        `max_epochs`. Scaling and inducing inputs come from the first call, so let it hold a fair
        portion, with two classes at least.

        Parameters
        ----------
        X, y, X_err, sample_weight
            As in :meth:`fit`; the new rows only.
        classes : array-like, optional
            All classes there will ever be. Needed in the first call, unless `fit` came before.

        Returns
        -------
        NoisyGPClassifier
            The classifier itself.
        """
        if not hasattr(self, "_model"):
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return self._begin(X, y, unique_labels(classes), X_err, sample_weight)
        if classes is not None and not np.array_equal(self.classes_, unique_labels(classes)):
            raise ValueError(
                f"classes={list(np.asarray(classes))} differ from those of the first call, "
                f"{self.classes_.tolist()}"
            )
        if self._rows is None:
            raise ValueError(
                "the rows this classifier learned from are not in its model file; set "
                "warm_start=True and fit with the old rows first and then the new ones"
            )
        table = self._append(self._rows, self._check_table(X, y, X_err, sample_weight))
        return self._go_on(table)

    def _begin(
        self, X: Any, y: Any, classes: np.ndarray | None, X_err: Any, sample_weight: Any
    ) -> NoisyGPClassifier:
        """A new model, trained."""
        options = self._options()
        values = check_x(self, X, reset=True)
        sigma = check_x_err(self, X_err, X, values.shape)
        if y is None:
            raise ValueError(
                "This NoisyGPClassifier estimator requires y to be passed, but the target y is None"
            )
        y = _check_y(y, estimator=self)
        if len(y) != len(values):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {len(values)} "
                f"rows, y has {len(y)}"
            )
        check_classification_targets(y)
        if classes is None:
            classes, labels = np.unique(y, return_inverse=True)
            labels = labels.astype(np.int32)
        else:
            labels = check_labels(y, classes, len(values))
        if len(labels) and (labels == labels[0]).all():
            raise ValueError(
                f"y holds one class only, {y.tolist()[0]!r} in {len(y)} rows; two classes are the "
                "least"
            )
        weights = check_weights(sample_weight, self.class_weight, values, classes, labels)
        table = Table(values, sigma, labels, weights)
        options["classes"] = str(len(classes))
        self._model = Model.create(options, table)
        self.classes_ = classes
        self.history_ = np.empty((0, 2))
        return self._train(table)

    def _go_on(self, table: Table) -> NoisyGPClassifier:
        """The model as it is, trained further."""
        if self._model.under_way and len(table.x) != self._model.rows:
            raise ValueError(
                f"the training on {self._model.rows} rows was stopped under way; finish it by fit "
                "with warm_start=True and the same data before adding rows"
            )
        self._take_over_options()
        return self._train(table)

    def _check_table(self, X: Any, y: Any, X_err: Any, sample_weight: Any) -> Table:
        values = check_x(self, X, reset=False)
        sigma = check_x_err(self, X_err, X, values.shape)
        labels = check_labels(y, self.classes_, len(values))
        weights = check_weights(sample_weight, self.class_weight, values, self.classes_, labels)
        return Table(values, sigma, labels, weights)

    @staticmethod
    def _append(old: Table, new: Table) -> Table:
        """The rows of both; what only one of them has is filled in."""
        sigma = weights = None
        if old.sigma is not None or new.sigma is not None:
            both = [(t.sigma if t.sigma is not None else 0.0, t.x.shape) for t in (old, new)]
            sigma = np.concatenate([np.broadcast_to(s, shape) for s, shape in both])
        if old.weights is not None or new.weights is not None:
            pair = [t.weights if t.weights is not None else np.ones(len(t.x)) for t in (old, new)]
            weights = np.concatenate(pair)
        x, labels = np.concatenate([old.x, new.x]), np.concatenate([old.labels, new.labels])
        return Table(x, sigma, labels, weights)

    def _train(self, table: Table) -> NoisyGPClassifier:
        epochs: list[tuple[int, float]] = []
        bar = Bar() if self.progress is True else None
        told = bar or (self.progress if callable(self.progress) else None)

        def watch(progress: Progress, epoch: int) -> Any:
            if progress.batch == 0:
                epochs.append((epoch, progress.bound))
            return told(progress) if told is not None else None

        try:
            self._model.train(table, watch)
        finally:
            if bar is not None:
                bar.close()
            if self._model.rows == len(table.x):  # else it was refused
                self._rows: Table | None = table
                self._had_errors = table.sigma is not None and bool(np.any(table.sigma != 0))
            self.history_ = np.concatenate([self.history_, np.reshape(epochs, (-1, 2))])
            self._look_inside()
        return self

    def _look_inside(self) -> None:
        """Copies what was learned into the attributes users read."""
        model = self._model
        c, d = model.classes, model.attributes
        self.lengthscales_ = model.get("lengthscales", c, d)
        self.noise_variance_ = model.get("noise_variance", d)
        self.relevance_ = model.get("relevance", d)
        self.epsilon_ = float(model.get("epsilon", 1)[0])
        self.elbo_ = model.bound
        self.n_iter_ = model.epochs
        self.n_inducing_ = model.inducing

    # ------------------------------------------------------------------ options

    def _options(self) -> dict[str, str]:
        """The parameters as options of the library."""
        options = {option: _as_text(getattr(self, name)) for name, option in _OPTION_OF.items()}
        options["seed"] = str(self._seed())
        options["threads"] = str(self._threads())
        return options

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _threads(self) -> int:
        if self.n_jobs is None:
            shared = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
            return int(shared) if shared.isdecimal() else 0
        if not isinstance(self.n_jobs, Integral) or self.n_jobs == 0:
            raise ValueError(f"n_jobs={self.n_jobs!r} is not a whole number other than 0, or None")
        processors = len(os.sched_getaffinity(0))
        return int(self.n_jobs) if self.n_jobs > 0 else max(1, processors + 1 + int(self.n_jobs))

    def _take_over_options(self) -> None:
        """Brings parameters changed since the last training to the model, where they may change."""
        for name, option in _OPTION_OF.items():
            if name == "random_state":
                continue
            value = str(self._threads()) if name == "n_jobs" else _as_text(getattr(self, name))
            if not _same_value(value, self._model.option(option)):
                try:
                    self._model.set_option(option, value)
                except ValueError as error:
                    raise ValueError(f"{name}={getattr(self, name)!r}: {error}") from None

    def _ready_model(self) -> Model:
        """The model with the number of threads and points that are wanted now."""
        for option, value in (("threads", str(self._threads())), ("points", str(self.n_points))):
            if self._model.option(option) != value:
                self._model.set_option(option, value)
        return self._model

    # ------------------------------------------------------------------ predicting

    def predict_proba(self, X: ArrayLike, X_err: ArrayLike | None = None) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors, as in :meth:`fit`. 0 says that the values are exact, and so does None,
            with a warning when the classifier learned from measurements with errors.

        Returns
        -------
        ndarray of shape (n, n_classes)
            In the order of ``classes_``; each row sums to one.
        """
        return self._predict(X, X_err, "probabilities")["probabilities"]

    def predict_log_proba(self, X: ArrayLike, X_err: ArrayLike | None = None) -> np.ndarray:
        """Logarithms of the class probabilities; arguments as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return np.log(self.predict_proba(X, X_err))

    def predict(self, X: ArrayLike, X_err: ArrayLike | None = None) -> np.ndarray:
        """The most probable class; arguments as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n,)
        """
        best = np.argmax(self.predict_proba(X, X_err), axis=1)
        return self.classes_[best]

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        X_err: ArrayLike | None = None,
    ) -> float:
        """The share of labels predicted right.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        return float(accuracy_score(y, self.predict(X, X_err), sample_weight=sample_weight))

    def _rows_to_predict(self, X: Any, X_err: Any) -> Table:
        check_is_fitted(self)
        values = check_x(self, X, reset=False)
        sigma = check_x_err(self, X_err, X, values.shape)
        if sigma is None and self._had_errors and self.noise != "learned":
            warnings.warn(
                "learned from measurements with errors, but X_err is None here: the values are "
                "taken to be exact. Pass X_err, or X_err=0 if that is meant.",
                UserWarning,
                stacklevel=4,
            )
        return Table(values, sigma)

    def _predict(self, X: Any, X_err: Any, *wanted: str) -> dict[str, np.ndarray]:
        table = self._rows_to_predict(X, X_err)
        return self._ready_model().predict(table, *wanted)

    # ------------------------------------------------------------------ more than labels

    def uncertainty(self, X: ArrayLike, X_err: ArrayLike | None = None) -> Uncertainty:
        """How uncertain the class of each row is, and how much of that has which cause.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        Uncertainty
            total, measurement, model and label, each of shape (n,), in nats. Input models that do
            not average over where the input may be ("first_order", "exact" and the baselines) count
            everything but label noise as the model's.
        """
        parts = self._predict(X, X_err, "entropy", "measurement_part", "model_part")
        total, measurement, model = parts.values()
        return Uncertainty(total, measurement, model, np.maximum(total - measurement - model, 0.0))

    def suggest(
        self,
        pool: ArrayLike,
        n: int = 10,
        X_err: ArrayLike | None = None,
        by: Literal["information", "entropy"] = "information",
    ) -> np.ndarray:
        """The rows whose labels would teach most.

        Parameters
        ----------
        pool, X_err
            Rows without labels, as X and X_err in :meth:`predict_proba`.
        n : int, default=10
            How many are wanted; there are fewer when the pool is smaller.
        by : {"information", "entropy"}, default="information"
            "information": what the label would tell about the latent functions, the model's part of
            the uncertainty. "entropy": the whole of it, also what no label can teach.

        Returns
        -------
        ndarray of int
            Row numbers, the best first.
        """
        scores = {"information": "model_part", "entropy": "entropy"}
        if by not in scores:
            raise ValueError(f"by={by!r} is not one of {list(scores)}")
        if not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n={n!r} is not a whole number from 1 on")
        score = self._predict(pool, X_err, scores[by])[scores[by]]
        return np.argsort(-score, kind="stable")[:n]

    def remeasure(self, X: ArrayLike, X_err: ArrayLike | None = None) -> np.ndarray:
        """What better measurements would tell.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, d)
            The entropy of the row's class, in nats, that measuring this attribute alone exactly
            would remove on average.
        """
        table = self._rows_to_predict(X, X_err)
        return self._ready_model().remeasure(table)

    def denoise(self, X: ArrayLike, y: ArrayLike, X_err: ArrayLike | None = None) -> Denoised:
        """Where the true inputs of the training rows are believed to be.

        Parameters
        ----------
        X, y, X_err
            As given to :meth:`fit`, in the same order; fewer rows from the beginning will do. With
            ``input_model="amortised"`` any rows will do.

        Returns
        -------
        Denoised
            mean and std, each of shape (n, d). Input models that do not infer true inputs answer
            with the measurements and their errors.
        """
        check_is_fitted(self)
        values = check_x(self, X, reset=False)
        sigma = check_x_err(self, X_err, X, values.shape)
        labels = check_labels(y, self.classes_, len(values))
        return Denoised(*self._model.denoise(Table(values, sigma, labels)))

    # ------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command-line program and the C library use too.

        Classes come back with the type they have when they are numbers, texts or booleans.

        Parameters
        ----------
        path : str or path-like
            Holds a whole file at any moment, the old or the new one.
        """
        check_is_fitted(self)
        names, kind = _class_names(self.classes_)
        self._model.class_names = names
        self._model.set_note(_NOTE_DTYPE, kind)
        named = hasattr(self, "feature_names_in_")
        if named:
            self._model.attribute_names = [str(name) for name in self.feature_names_in_]
        self._model.set_note(_NOTE_NAMED, "yes" if named else "no")
        self._model.set_note(_NOTE_ERRORS, "yes" if self._had_errors else "no")
        self._model.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NoisyGPClassifier:
        """The classifier in a model file, whoever wrote it.

        Files of the command-line program have classes of type str and named attributes; one called
        ``log(x)`` expects the logarithm of x, see :func:`nimgp.from_table`.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        NoisyGPClassifier
        """
        model = Model.load(path)
        self = cls(**_parameters(model))
        self._model = model
        self._rows = None
        self.classes_ = _classes(model.class_names, model.note(_NOTE_DTYPE))
        self.n_features_in_ = model.attributes
        if model.note(_NOTE_NAMED) != "no":
            self.feature_names_in_ = np.array(model.attribute_names, dtype=object)
        given = model.note(_NOTE_ERRORS)
        self._had_errors = given == "yes" if given else bool(model.note("errors"))
        self.history_ = np.empty((0, 2))
        self._look_inside()
        return self


# ---------------------------------------------------------------------- texts and what they mean


def _same_value(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def _parameters(model: Model) -> dict[str, Any]:
    """The parameters that make a model like this one."""
    defaults = NoisyGPClassifier().get_params()
    values: dict[str, Any] = {}
    for name, option in _OPTION_OF.items():
        if name == "n_jobs":
            continue
        text, default = model.option(option), defaults[name]
        if isinstance(default, str):
            values[name] = text
        elif isinstance(default, bool):
            values[name] = text != "0"
        elif isinstance(default, float) or name == "noise_start":
            values[name] = float(text)
        else:
            values[name] = int(text)
        if default is None and name != "random_state" and values[name] == 0:
            values[name] = None
    return values


def _class_names(classes: np.ndarray) -> tuple[list[str], str]:
    """Classes as texts, and what it takes to make classes of them again."""
    items = classes.tolist()
    if classes.dtype.kind in "biuf":
        return [repr(item) for item in items], classes.dtype.str
    if all(isinstance(item, str) for item in items):
        return items, "str" if classes.dtype.kind == "U" else "object"
    raise ValueError(
        f"classes of type {type(items[0]).__name__} cannot be kept in a model file; use numbers or "
        "texts, or pickle the classifier"
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
