# SPDX-License-Identifier: Apache-2.0
"""The base of all estimators: parameters, training, densities, denoising, reports."""

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

from .._base.errors import ErrorsLike
from .._base.warn import warn
from .._native import core
from .._native.collectives import Team
from .._native.model import Model
from .._native.progress import Bar, Progress
from .._native.table import Table
from ..tables._columns import is_table
from ..tables._read import from_table
from . import settings
from .docstrings import shared_texts
from .files import FileMethods
from .novelty import NoveltyMethods
from .report import Report, make_report
from .rows import Given, RowMethods

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


@dataclass(eq=False, repr=False)
class Estimator(NoveltyMethods, RowMethods, FileMethods, BaseEstimator):
    """A Gaussian-process model of the library as a scikit-learn estimator.

    The fields are the parameters; a subclass adds its own. It defines what y is by

    ``_target``
        the library's name of such a target (``nim_model_target``);
    ``_quantities``
        names of quantities that its likelihoods learn, as in ``nim_model_get``;
    ``_find_classes``, ``_read_targets``, ``_read_beside``
        the classes in y; y, and what stands beside it, in the library's form.
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

    _quantities: ClassVar[dict[str, tuple[str, ...]]]

    __metadata_request__fit = {"X_err": True}
    __metadata_request__partial_fit = {"X_err": True}
    __metadata_request__predict = {"X_err": True}
    __metadata_request__score = {"X_err": True}

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

    # ------------------------------------------------------------------ learning

    @shared_texts
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
        {X}
        y : array-like of shape (n,)
            Targets. For sets of labels of shape (n, L).
        {X_err}
        {weights_and_unlabelled}

        Returns
        -------
        self

        Notes
        -----
        {interrupts}
        """
        return self._learn(Given(X, y, X_err, sample_weight), (X_unlabelled, X_unlabelled_err))

    @shared_texts
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        {adding_rows}

        Parameters
        ----------
        X, y, X_err, sample_weight
            As in :meth:`fit`; the new rows only.

        Returns
        -------
        self
        """
        return self._learn_more(Given(X, y, X_err, sample_weight))

    def _learn(self, given: Given, others: tuple[Any, Any] = (None, None)) -> Self:
        """`others`: rows without a target, and their errors."""
        if given.X_err is None and hasattr(self, "_table_how") and is_table(given.X):
            label, how = self._table_how
            columns = from_table(given.X, **how)
            given = given._replace(X=columns.X, X_err=columns.X_err)
            self._recipe = replace(columns._recipe, label=label)
        if self.warm_start and hasattr(self, "_model"):
            if others[0] is not None:
                raise ValueError(
                    "X_unlabelled is for a new model; with warm_start=True the population "
                    "is kept"
                )
            return self._train(lambda _: self._go_on(self._check_table(given)))
        return self._train(lambda team: self._begin(team, given, others))

    def _learn_more(self, given: Given, classes: np.ndarray | None = None) -> Self:
        """`classes`: those of a new model, if they are given."""
        if not hasattr(self, "_model"):
            return self._train(lambda team: self._begin(team, given, classes=classes))
        if self._rows is None:
            raise ValueError(
                "the rows this estimator learned from are not in its model file; set "
                "warm_start=True and fit with the old rows first and then the new ones"
            )
        old = self._rows
        return self._train(lambda _: self._go_on(old.followed_by(self._check_table(given))))

    def _begin(
        self,
        team: Team,
        given: Given,
        others: tuple[Any, Any] = (None, None),
        classes: np.ndarray | None = None,
    ) -> Table:
        """A new model and the rows to train it on."""
        options = self._options()
        options["seed"] = team.exchange(options["seed"])[0]  # one that was drawn, too
        values, sigma = self._check_inputs(given.X, given.X_err, reset=True)
        if given.y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        classes = self._find_classes(given.y, classes, len(values))
        if classes is not None:
            options["classes"] = str(len(classes))
        table = self._make_table(values, sigma, given, classes)
        unlabelled = self._check_unlabelled(*others)
        try:
            model = Model.create(options, table)
            if unlabelled is not None:
                model.learn_population(table, unlabelled)
        except ValueError as error:
            settings.name_parameter(error, self)
            raise
        settings.warn_of_idle(model, self)
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
        settings.change_options(self._model, self)
        return table

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
        return self._log_density(Given(X, y, X_err))

    def _log_density(self, given: Given) -> np.ndarray:
        table = self._table_to_predict(given, True)
        return self._ready_model().predict(table, "log_density")["log_density"]

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
        return self._report(Given(X, y, X_err), path, names)

    def _report(self, given: Given, path: Any, names: Any) -> Report:
        table = self._table_to_predict(given, given.y is not None)
        names = None if names is None else [str(name) for name in names]
        if names is not None and len(names) != len(table.x):
            raise ValueError(f"names has {len(names)} entries, X {len(table.x)} rows")
        model = self._ready_model()
        self._note_down(model)
        said = ("X", given.X), ("y", given.y), ("X_err=X_err", given.X_err)
        arguments = ", ".join(text for text, value in said if value is not None)
        facts = {"model": type(self).__name__, "command": f"{self!r}.report({arguments})"}
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
        return self._denoise(Given(X, y, X_err))

    def _denoise(self, given: Given) -> Denoised:
        check_is_fitted(self)
        return Denoised(*self._model.denoise(self._check_table(given)))

    # ------------------------------------------------------------------ options

    def _options(self) -> dict[str, str]:
        """The parameters as options of the library."""
        options = settings.options_of(self)
        known = core.likelihoods(self._target)
        if options["likelihood"] not in known:
            raise ValueError(f"likelihood={self.likelihood!r} is not one of {', '.join(known)}")
        options["seed"] = str(settings.seed(self.random_state))
        return options

    def _ready_model(self) -> Model:
        """The model with the current number of threads and points."""
        wanted = {
            "threads": str(settings.threads(self.n_jobs)),
            "points": settings.option_text("points", self.points),
            "tolerance": settings.as_text(self.tolerance),
        }
        for option, value in wanted.items():
            if self._model.option(option) != value:
                self._model.set_option(option, value)
        return self._model
