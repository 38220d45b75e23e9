# SPDX-License-Identifier: Apache-2.0
"""The base of all estimators: parameters, training, model files, denoising."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _native, _settings
from ._arrow import is_arrow
from ._collectives import Team
from ._errors import Errors, ErrorsLike
from ._inputs import check_exposure, check_weights, check_x, check_x_err
from ._model import Model, Table
from ._novelty import NoveltyMethods
from ._progress import Bar, Progress
from ._recipe import Recipe
from ._report import Report, make_report
from ._table_columns import column_names, is_table, opened
from ._units import as_note, from_note, refuse_others, units_of
from ._warnings import warn
from .tables import from_table

if TYPE_CHECKING:
    from typing_extensions import Self


class Denoised(NamedTuple):
    """Estimated true inputs of rows.

    Attributes
    ----------
    mean : ndarray of shape (n, d)
    std : ndarray of shape (n, d)
    """

    mean: np.ndarray
    std: np.ndarray


class Population(NamedTuple):
    """Distribution of the true inputs: a mixture of K Gaussians, in the units of X; K = 0 for a flat
    population.

    Attributes
    ----------
    shares : ndarray of shape (K,)
    means : ndarray of shape (K, d)
    covariances : ndarray of shape (K, d, d)
    """

    shares: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


# Notes in a model file, for what the library itself does not keep.
_NOTE_NAMED = "python.features_named"
_NOTE_ERRORS = "python.errors_given"
_NOTE_EXPOSURE = "python.exposure_given"
_NOTE_UNITS = "units"  # as the program has it


@dataclass(eq=False, repr=False)
class Estimator(NoveltyMethods, BaseEstimator):
    """A Gaussian-process model of the library as a scikit-learn estimator.

    The fields are the parameters; a subclass adds its own. It defines what y is by

    ``_target``
        the library's name of such a target (``nim_model_target``);
    ``_quantities``
        names of quantities that its likelihoods learn, as in ``nim_model_get``;
    ``_find_classes``, ``_read_targets``
        the classes in y, and y in the library's form.
    """

    input: str = "auto"
    noise: str = "given"
    kernel: str = "auto"
    inducing: int | None = None
    _: KW_ONLY
    population: str = "auto"
    epochs: int | None = None
    learn_novelty: str = "auto"
    # For experts.
    alpha: float | None = None
    caution: float | None = None
    lengthscale_prior: float | None = None
    stop: str = "auto"
    batch: int | None = None
    rate: float | None = None
    warm_up: int = 1000
    precision: str = "auto"
    samples: int | None = None
    points: int | None = None
    tolerance: float = 0.002
    degree: int = 3
    layers: int = 2
    units: int = 50
    missing: str = "auto"
    warp: str = "auto"
    views: str = "auto"
    options: Mapping[str, Any] | None = None  # for research
    warm_start: bool = False
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None
    progress: bool | Callable[[Progress], Any] = False
    comm: Any = None

    _target: ClassVar[str]
    _quantities: ClassVar[dict[str, tuple[str, ...]]]
    _of_target: ClassVar[dict[str, type[Estimator]]] = {}

    __metadata_request__fit = {"X_err": True}
    __metadata_request__partial_fit = {"X_err": True}
    __metadata_request__predict = {"X_err": True}
    __metadata_request__score = {"X_err": True}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "_target" in vars(cls):
            Estimator._of_target[cls._target] = cls

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_clone__(self) -> Any:
        """A communicator is shared, not copied. How tables are read (:func:`fit_table`) is kept."""
        comm, self.comm = self.comm, None
        try:
            cloned = super().__sklearn_clone__()
        finally:
            self.comm = comm
        cloned.comm = comm
        if hasattr(self, "_table_how"):
            cloned._table_how = self._table_how
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        """Without the communicator, which belongs to this process."""
        return {**super().__getstate__(), "comm": None}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # ------------------------------------------------------------------ what y is

    def _find_classes(self, y: Any, classes: Any, rows: int) -> Any:
        """All classes in the y of a new model, or `classes` if they are given."""
        return None

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        """y as an argument of :class:`Table`; ValueError names what is wrong and where."""
        raise NotImplementedError

    def _weigh(
        self,
        sample_weight: Any,
        values: np.ndarray,
        classes: np.ndarray | None,
        targets: dict[str, np.ndarray],
    ) -> np.ndarray | None:
        return check_weights(sample_weight, values)

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
        X_unlabelled: ArrayLike | None = None,
        X_unlabelled_err: ErrorsLike | None = None,
    ) -> Self:
        """Trains the estimator on measurements, their errors and targets.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        y : array-like of shape (n,)
            Targets. For sets of labels of shape (n, L).
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors: of each cell, of each attribute, or one for all. NaN means unknown, 0 or
            None exact. May also be an :class:`nimgp.Errors` or a tuple (lower, upper) of arrays.
        sample_weight : array-like of shape (n,), optional
            Each row's term in the bound is multiplied by its weight.
        X_unlabelled : array-like of shape (m, d), DataFrame or astropy Table, optional
            Measurements of which y is unknown. The distribution of the true inputs (`population`)
            is learned from these rows too.
        X_unlabelled_err : array-like of shape (m, d) or (d,), float or None
            Their errors, as `X_err`.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) stops training after the current step and raises KeyboardInterrupt.
        The estimator can then predict. With ``warm_start=True``, `fit` with the same data continues
        the training.
        """
        others = (X_unlabelled, X_unlabelled_err)
        return self._learn(X, y, X_err, sample_weight, others=others)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        The training needs all rows, so `fit` and `partial_fit` keep them in the estimator (and in
        its pickles, but not in model files). A call continues from the current model, with the old
        and the new rows, until the bound no longer improves or for `epochs`. Scaling, population
        and inducing inputs are computed in the first call, so it should have a representative sample.

        Parameters
        ----------
        X, y, X_err, sample_weight
            As in :meth:`fit`; the new rows only.

        Returns
        -------
        self
        """
        return self._learn_more(X, y, X_err, sample_weight)

    def _learn(
        self,
        X: Any,
        y: Any,
        X_err: Any,
        sample_weight: Any,
        exposure: Any = None,
        others: tuple[Any, Any] = (None, None),
    ) -> Self:
        if X_err is None and hasattr(self, "_table_how") and is_table(X):
            label, how = self._table_how
            columns = from_table(X, **how)
            X, X_err = columns.X, columns.X_err
            self._recipe = replace(columns._recipe, label=label)
        if self.warm_start and hasattr(self, "_model"):
            if others[0] is not None:
                raise ValueError(
                    "X_unlabelled is for a new model; with warm_start=True the population "
                    "is kept"
                )
            table = (X, y, X_err, sample_weight, exposure)
            return self._train(lambda _: self._go_on(self._check_table(*table)))
        return self._train(
            lambda team: self._begin(
                team, X, y, X_err, sample_weight, exposure=exposure, others=others
            )
        )

    def _learn_more(
        self, X: Any, y: Any, X_err: Any, sample_weight: Any, exposure: Any = None
    ) -> Self:
        if not hasattr(self, "_model"):
            return self._train(
                lambda team: self._begin(team, X, y, X_err, sample_weight, exposure=exposure)
            )
        if self._rows is None:
            raise ValueError(
                "the rows this estimator learned from are not in its model file; set "
                "warm_start=True and fit with the old rows first and then the new ones"
            )
        old, new = self._rows, (X, y, X_err, sample_weight, exposure)
        return self._train(lambda _: self._go_on(old.followed_by(self._check_table(*new))))

    def _begin(
        self,
        team: Team,
        X: Any,
        y: Any,
        X_err: Any,
        sample_weight: Any,
        classes: np.ndarray | None = None,
        exposure: Any = None,
        others: tuple[Any, Any] = (None, None),
    ) -> Table:
        """A new model and the rows to train it on; `others` are rows without a label and their
        errors."""
        options = self._options()
        options["seed"] = team.exchange(options["seed"])[0]  # one that was drawn, too
        values, sigma = self._check_inputs(X, X_err, reset=True)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        classes = self._find_classes(y, classes, len(values))
        if classes is not None:
            options["classes"] = str(len(classes))
        table = self._make_table(values, sigma, y, classes, sample_weight, exposure)
        unlabelled = self._check_unlabelled(*others)
        try:
            model = Model.create(options, table)
            if unlabelled is not None:
                model.learn_population(table, unlabelled)
        except ValueError as error:
            _settings.name_parameter(error, self)
            raise
        _settings.warn_of_idle(model, self)
        self._model = model
        if classes is not None:
            self.classes_ = classes
        self.history_ = np.empty((0, 2))
        return table

    def _go_on(self, table: Table) -> Table:
        """The current model and these rows, to continue its training."""
        if self._model.under_way and len(table.x) != self._model.rows:
            raise ValueError(
                f"the training on {self._model.rows} rows was stopped; finish it by fit "
                "with warm_start=True and the same data before adding rows"
            )
        _settings.change_options(self._model, self)
        return table

    def _check_inputs(
        self, X: Any, X_err: Any, *, reset: bool = False, least_rows: int = 1
    ) -> tuple[np.ndarray, np.ndarray | Errors | None]:
        if not reset and X_err is None:
            X, X_err = self._read_table(X)
        values = check_x(self, X, reset=reset, least_rows=least_rows)
        units = units_of(X)
        if reset:
            self._units = units
        else:
            refuse_others(getattr(self, "_units", {}), units)
        return values, check_x_err(self, X_err, X, values.shape)

    def _reads(self, X: Any) -> bool:
        """Whether it is a table that is read as that of the training was, which was one: not the very features."""
        if not hasattr(self, "_recipe") or not is_table(X):
            return False
        return isinstance(X, (str, os.PathLike)) or (
            is_arrow(X) or column_names(X) != list(self.feature_names_in_)
        )

    def _read_table(self, X: Any) -> tuple[Any, Any]:
        """X and X_err of a table."""
        if not self._reads(X):
            return X, None
        read = self._recipe.read(opened(X))
        return read.X, read.X_err

    def _read_labelled(self, X: Any, y: Any, X_err: Any) -> tuple[Any, Any, Any]:
        """X, y and X_err of the rows of a table that have a target, if y is None."""
        if y is not None:
            return X, y, X_err
        if not self._reads(X):
            raise ValueError("y is None, and X is no table that has it")
        read = self._recipe.read(opened(X), self._recipe.label)
        return read.X, read.y, read.X_err

    def _check_unlabelled(self, X: Any, X_err: Any) -> Table | None:
        if X is None:
            if X_err is not None:
                raise ValueError("X_unlabelled_err is given, but X_unlabelled is None")
            return None
        try:
            return Table(*self._check_inputs(X, X_err))
        except ValueError as error:
            raise ValueError(f"X_unlabelled: {error}") from None

    def _make_table(
        self,
        values: np.ndarray,
        sigma: np.ndarray | Errors | None,
        y: Any,
        classes: np.ndarray | None,
        sample_weight: Any = None,
        exposure: Any = None,
    ) -> Table:
        targets = self._read_targets(y, classes, len(values))
        weights = self._weigh(sample_weight, values, classes, targets)
        exposure = check_exposure(exposure, len(values))
        return Table(values, sigma, weights=weights, exposure=exposure, **targets)

    def _check_table(
        self, X: Any, y: Any, X_err: Any, sample_weight: Any = None, exposure: Any = None
    ) -> Table:
        """Rows with known targets, checked for the current model."""
        values, sigma = self._check_inputs(X, X_err)
        classes = getattr(self, "classes_", None)
        return self._make_table(values, sigma, y, classes, sample_weight, exposure)

    def _train(self, prepare: Callable[[Team], Table]) -> Self:
        """Trains the model that `prepare` sets, on the rows that it returns."""
        team = Team(self.comm)
        with team.preparing():
            table = prepare(team)
            team.same(table.arrays().values())
        return self._train_on(table, team)

    def _train_on(self, table: Table, team: Team) -> Self:
        epochs: list[tuple[int, float]] = []
        used_up = False
        bar = Bar() if self.progress is True and team.leads else None
        told = bar or (self.progress if callable(self.progress) else None)

        def watch(progress: Progress, epoch: int) -> Any:
            nonlocal used_up
            if progress.batch == 0:  # the end of an epoch
                epochs.append((epoch, progress.bound))
                used_up = progress.epoch >= progress.epochs
            return told(progress) if told is not None else None

        try:
            ended = self._model.train(table, watch, team.comm)
        finally:
            if bar is not None:
                bar.close()
            if self._model.rows == len(table.x):  # else it was refused
                self._rows: Table | None = table
                self._had_errors = table.sigma is not None and bool(np.any(table.sigma != 0))
                self._had_exposure = table.exposure is not None
            self.history_ = np.concatenate([self.history_, np.reshape(epochs, (-1, 2))])
            self._look_inside()
        # The library's own limit ends with small steps, and is no reason to worry.
        limited = self._model.option("epochs") != "0" and self._model.option("stop") == "auto"
        if ended and used_up and limited:
            warn(
                f"training stopped after {len(epochs)} epochs, while the bound was still "
                'improving; raise epochs, continue with warm_start=True, or set stop="fixed" if '
                "this is intended",
                ConvergenceWarning,
            )
        return self

    def _look_inside(self) -> None:
        """Copies the learned quantities to public attributes."""
        model = self._model
        terms = 1 + model.option("kernel").count("+")
        self.lengthscales_ = model.get(
            "lengthscales", model.functions, *([terms] if terms > 1 else []), model.attributes
        )
        self.noise_variance_ = model.get("noise_variance", model.attributes)
        self.relevance_ = model.get("relevance", model.attributes)
        d = model.attributes
        self.population_ = Population(
            model.get("population_shares"),
            model.get("population_means").reshape(-1, d),
            model.get("population_covariances").reshape(-1, d, d),
        )
        self.elbo_ = model.bound
        self.n_iter_ = model.epochs
        self.n_inducing_ = model.inducing
        present = self._quantities.get(model.option("likelihood"), ())
        for name in {name for names in self._quantities.values() for name in names}:
            if name in present:
                setattr(self, name + "_", self._shaped(name, model.get(name)))
            elif hasattr(self, name + "_"):
                delattr(self, name + "_")  # of another likelihood, in a fit before

    def _shaped(self, name: str, values: np.ndarray) -> Any:
        """A quantity learned by the likelihood, as an attribute: one number, unless overridden."""
        return float(values[0])

    # ------------------------------------------------------------------ predicting

    def log_density(self, X: ArrayLike, y: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The log of the predicted probability or density of given targets.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        y : array-like
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n,)
            log p(y) of each row: the log of a probability or, if y is a number, of a density in
            units of y.
        """
        return self._log_density(X, y, X_err)

    def _log_density(self, X: Any, y: Any, X_err: Any, exposure: Any = None) -> np.ndarray:
        values, sigma = self._rows_to_predict(X, X_err)
        exposure = self._exposure_to_predict(exposure, len(values))
        classes = getattr(self, "classes_", None)
        table = self._make_table(values, sigma, y, classes, None, exposure)
        return self._ready_model().predict(table, "log_density")["log_density"]

    def _rows_to_predict(
        self, X: Any, X_err: Any
    ) -> tuple[np.ndarray, np.ndarray | Errors | None]:
        """As :meth:`_check_inputs`. There may be no rows: partitions of large tables can be empty."""
        check_is_fitted(self)
        values, sigma = self._check_inputs(X, X_err, least_rows=0)
        if sigma is None and self._had_errors and self.noise != "learned":
            warn(
                "the estimator was trained with errors, but X_err is None: the values are taken "
                "to be exact. Pass X_err, or X_err=0 if this is intended."
            )
        return values, sigma

    def _exposure_to_predict(self, exposure: Any, rows: int) -> np.ndarray | None:
        if exposure is None and self._had_exposure:
            warn(
                "the estimator was trained with an exposure, but exposure is None: it is taken to "
                "be 1. Pass exposure, or exposure=1 if this is intended."
            )
        return check_exposure(exposure, rows)

    def _predict(self, X: Any, X_err: Any, *wanted: str, **more: Any) -> dict[str, np.ndarray]:
        table = Table(*self._rows_to_predict(X, X_err))
        return self._ready_model().predict(table, *wanted, **more)

    def report(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
        path: str | os.PathLike[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Report:
        """Makes an HTML page about the model and its predictions.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        y : array-like or None, default=None
            As in :meth:`fit`. Without it the page shows the predictions only.
        path : str or path-like or None, default=None
            The file to write the page to. It opens without a network.
        names : sequence of n str or None, default=None
            Names of the rows, shown in the page.

        Returns
        -------
        Report
            It is displayed in notebooks; its attribute ``data`` has the numbers of the page.
        """
        return self._report(X, y, X_err, path, names)

    def _report(
        self, X: Any, y: Any, X_err: Any, path: Any, names: Any, exposure: Any = None
    ) -> Report:
        values, sigma = self._rows_to_predict(X, X_err)
        exposure = self._exposure_to_predict(exposure, len(values))
        names = None if names is None else [str(name) for name in names]
        if names is not None and len(names) != len(values):
            raise ValueError(f"names has {len(names)} entries, X {len(values)} rows")
        if y is None:
            table = Table(values, sigma, exposure=exposure)
        else:
            classes = getattr(self, "classes_", None)
            table = self._make_table(values, sigma, y, classes, None, exposure)
        model = self._ready_model()
        self._note_down(model)
        given = [
            text
            for text, value in (("X", X), ("y", y), ("X_err=X_err", X_err))
            if value is not None
        ]
        facts = {
            "model": type(self).__name__,
            "command": f"{self!r}.report({', '.join(given)})",
        }
        report = make_report(model, table, facts, names)
        if path is not None:
            report.save(path)
        return report

    def denoise(self, X: ArrayLike, y: ArrayLike, *, X_err: ErrorsLike | None = None) -> Denoised:
        """Estimates the true inputs of the training rows.

        Parameters
        ----------
        X, y, X_err
            The rows of :meth:`fit`, in the same order, or the first of them. With
            ``input="amortised"``, any rows.

        Returns
        -------
        Denoised
            mean and std, each of shape (n, d). For input models that do not infer true inputs, the
            distribution of the inputs given their measurements and the population, if a population
            was learned; otherwise the measurements and their errors.
        """
        return self._denoise(X, y, X_err)

    def _denoise(self, X: Any, y: Any, X_err: Any, exposure: Any = None) -> Denoised:
        check_is_fitted(self)
        return Denoised(*self._model.denoise(self._check_table(X, y, X_err, None, exposure)))

    # ------------------------------------------------------------------ options

    def _options(self) -> dict[str, str]:
        """The parameters as options of the library."""
        options = _settings.options_of(self)
        known = _native.likelihoods(self._target)
        if options["likelihood"] not in known:
            raise ValueError(f"likelihood={self.likelihood!r} is not one of {', '.join(known)}")
        options["seed"] = str(_settings.seed(self.random_state))
        return options

    def _ready_model(self) -> Model:
        """The model with the current number of threads and points."""
        wanted = {
            "threads": str(_settings.threads(self.n_jobs)),
            "points": _settings.option_text("points", self.points),
            "tolerance": _settings.as_text(self.tolerance),
        }
        for option, value in wanted.items():
            if self._model.option(option) != value:
                self._model.set_option(option, value)
        return self._model

    # ------------------------------------------------------------------ files

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
        class names are numbers. Parameters that were left to the library have the values that it
        chose.

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
        self = cls(**_settings.parameters_of(model, cls().get_params()))
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


def load(path: str | os.PathLike[str]) -> Estimator:
    """Loads an estimator of any kind from a model file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    NoisyGPClassifier, NoisyGPOrdinalClassifier, NoisyGPMultiLabelClassifier, NoisyGPRegressor or NoisyGPCountRegressor
    """
    model = Model.load(path)
    return Estimator._of_target[model.target]._of(model)
