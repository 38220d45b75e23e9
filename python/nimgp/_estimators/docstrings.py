# SPDX-License-Identifier: Apache-2.0
"""The text that the docstrings of all estimators share, and the parameters in the library's words."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from .._native import core
from . import settings

# Parameters that are not options of the library, and those that are more than an option. All others
# are described in the library's words.
_OWN = """\
options : dict or None, default=None
    Options that have no parameter, mostly for research: ``{"whiten": False}``.
    :func:`nimgp.options` describes them.
warm_start : bool, default=False
    Whether `fit` starts from the current model. X may then have more rows than before, the old
    rows first. After an interrupt, `fit` with the same data continues the training; the result has
    the same bits as that of an uninterrupted training.
random_state : int, RandomState or None, default=None
    An int is the library's seed: the same data and seed give the same result. None: a random seed.
n_jobs : int or None, default=None
    Number of threads. None: the number of processors, or OMP_NUM_THREADS if it is set; joblib sets
    it in its workers. Negative values mean the same as in scikit-learn, -1 is all processors.
    Results do not depend on it.
progress : bool or callable, default=False
    True shows a progress bar (tqdm if it is installed). A function is called with a
    :class:`Progress` after each epoch, and several times a second during long epochs; training
    stops when it returns a true value.
comm : mpi4py communicator or None, default=None
    The processes of the communicator train one model together: each calls `fit` with the same rows
    and gets the same model, whose bits do not depend on the number of processes. Pickles do not
    contain the communicator.
class_weight : dict, "balanced" or None, default=None
    Weights of the classes, as in scikit-learn. They multiply `sample_weight`.
calibrate : bool, default=True
    Whether the probabilities are calibrated with a temperature and an offset for each class, found
    by cross-validation. This adds four short trainings, each without a quarter of the rows. Tables with fewer than 40 rows
    are not calibrated.
"""

CLASS_ATTRIBUTES = """\
class_shares_ : ndarray of shape (n_classes,)
    Weighted shares of the classes in the training rows; empty for model files of older versions.
temperature_ : float
    T: the probabilities are proportional to p_c^(1/T) exp(b_c); 1 if they are not calibrated, and
    infinite if held-out rows were predicted no better than by the shares of the classes, which are
    then the probabilities of every row.
panel_weights_ : ndarray of shape (2, fits)
    Weights of the fits of a panel where a row's errors are such as training rows have, and where
    they are larger; without a panel there are none.
panel_views_ : list of str
    What each fit of a panel sees of the rows.
calibration_offsets_ : ndarray of shape (n_classes,)
    b; empty if the probabilities are not calibrated, and for model files of older versions.
"""

ATTRIBUTES = """\
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only if the columns of X had names.
lengthscales_ : ndarray of shape (functions, n_features_in_)
    Lengthscales of each latent function's kernel, in the units of X; for a kernel that is a sum,
    the shape is (functions, n_terms, n_features_in_).
noise_variance_ : ndarray of shape (n_features_in_,)
    Learned noise variances of X, in its units squared; zeros if noise is given.
relevance_ : ndarray of shape (n_features_in_,)
    Relevance of each attribute, scaled so that the largest is 1.
population_ : Population
    Distribution of the true inputs: `shares`, `means` and `covariances` of Gaussians, in the units
    of X; empty for a flat population. Covariances of a "wide" one are four times the learned ones.
elbo_ : float
    The quantity that training maximises, averaged over the last epoch. It is the evidence lower
    bound if alpha is 0 and caution is 1.
n_iter_ : int
    Number of epochs of the training.
n_inducing_ : int
    Inducing inputs per latent function.
history_ : ndarray of shape (n_iter_, 2)
    Epoch and bound, one row per epoch; empty after :meth:`load`.
"""

NOTES = """\
``NaN`` in X is a missing value. ``NaN`` in `X_err` is an unknown error: the attribute's median
error is used, multiplied by the geometric mean of the ratios of the row's known errors to the
medians of their attributes. An error of 0 means an exact value. If metadata routing is enabled,
`fit`, `score` and the methods that predict request `X_err` by default; no request has to be set.
"""

_OF_CLASSES = {"attributes": ATTRIBUTES, "class_attributes": CLASS_ATTRIBUTES, "notes": NOTES}

_OF_METHODS = {
    "X": """\
X : array-like of shape (n, d), DataFrame or astropy Table
    Measurements; NaN means missing.
""",
    "X_err": """\
X_err : array-like of shape (n, d) or (d,), float or None
    1-sigma errors: of each cell, of each attribute, or one for all. NaN means unknown, 0 or
    None exact. May also be an :class:`nimgp.Errors` or a tuple (lower, upper) of arrays.
""",
    "new_X_err": """\
X_err : array-like of shape (n, d) or (d,), float or None
    1-sigma errors, as in :meth:`fit`. 0 means that the values are exact. So does None, with
    a warning if the estimator was trained with errors.
""",
    "weights_and_unlabelled": """\
sample_weight : array-like of shape (n,), optional
    Each row's term in the bound is multiplied by its weight.
X_unlabelled : array-like of shape (m, d), DataFrame or astropy Table, optional
    Measurements of which y is unknown. The distribution of the true inputs (`population`)
    is learned from these rows too.
X_unlabelled_err : array-like of shape (m, d) or (d,), float or None
    Their errors, as `X_err`.
""",
    "interrupts": """\
An interrupt (Ctrl-C) stops training after the current step and raises KeyboardInterrupt.
The estimator can then predict. With ``warm_start=True``, `fit` with the same data continues
the training.
""",
    "adding_rows": """\
The training needs all rows, so `fit` and `partial_fit` keep them in the estimator (and in
its pickles, but not in model files). A call continues from the current model, with the old
and the new rows, until the bound no longer improves or for `epochs`. Scaling, population
and inducing inputs are computed in the first call, so it should have a representative sample.
""",
}
_NOUNS = {"flag": "bool", "whole": "int", "real": "float"}

Class = TypeVar("Class", bound=type)
Method = TypeVar("Method", bound=Callable[..., Any])


def option_help(option: core.Option) -> str:
    """What an option does and how the library chooses it."""
    return f"{option.help} {option.chosen}".strip()


def _entry(option: core.Option, name: str, default: Any) -> str:
    """The description of a parameter that sets an option."""
    text, kind = option_help(option), _NOUNS.get(option.type)
    if default is None:
        text = text.replace(f" {option.default}: ", " None: ").replace("; None: no prior", "; 0: no prior")
        kind = f"{kind} or None"
    elif kind is None:
        kind = "{" + ", ".join(f'"{choice}"' for choice in option.choices) + "}"
    shown = f'"{default}"' if isinstance(default, str) else default
    lines = textwrap.wrap(text, 96, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{name} : {kind}, default={shown}", *(f"    {line}" for line in lines)]) + "\n"


def _parameters(cls: Any, already: str) -> str:
    """All parameters but those that the docstring has already; those for experts apart."""
    own = {name: text for text in re.split(r"^(?=\w)", _OWN, flags=re.MULTILINE) if (name := text.split(" ")[0])}
    fields = {field.name: field.default for field in dataclasses.fields(cls) if field.init}
    fields = {name: default for name, default in fields.items() if f"\n{name} : " not in already}
    option_of = {settings.parameter_of(name): option for name, option in settings.OPTIONS.items()}
    texts: dict[str, str] = {"everyday": "", "expert": ""}
    for name, default in fields.items():
        option = option_of.get(name)
        if name in own:
            texts["everyday"] += own[name]
        elif option is not None:
            texts[option.tier] += _entry(option, name, default)
    heading = "\nOther Parameters\n----------------\n"
    return texts["everyday"] + heading + texts["expert"]


def _choices(place: re.Match[str]) -> str:
    """The library's list of the likelihoods of a target."""
    return "{" + ", ".join(f'"{name}"' for name in core.likelihoods(place[1])) + "}"


def _filled(text: str, shared: dict[str, str]) -> str:
    """A docstring with the shared texts where it has a line like ``{attributes}``."""
    text = inspect.cleandoc(text) + "\n"
    for name, told in shared.items():
        text = text.replace(f"\n{{{name}}}\n", f"\n{told}")
    return text


def shared_texts(method: Method) -> Method:
    """Inserts the texts that methods share."""
    if method.__doc__:  # there is none under -OO
        method.__doc__ = _filled(method.__doc__, _OF_METHODS)
    return method


def documented(cls: Class) -> Class:
    """Inserts the texts that estimators share."""
    if cls.__doc__:
        text = _filled(cls.__doc__, _OF_CLASSES)
        text = _filled(text, {"parameters": _parameters(cls, text)})
        cls.__doc__ = re.sub(r"{choices of (\w+)}", _choices, text)
    return cls
