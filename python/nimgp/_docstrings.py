# SPDX-License-Identifier: Apache-2.0
"""The text that the docstrings of all estimators share."""

from __future__ import annotations

import inspect
import re
from typing import TypeVar

from . import _native

PARAMETERS = """\
input_model : {choices of input}, default="auto"
    How the error bars are used. "marginal" averages over the possible true inputs. "latent" infers
    the true inputs of each training row. "amortised" infers them with a network and stores nothing
    per row. "first_order" converts input noise to output noise. "exact" ignores the error bars.
    "augmented", "resampled", "narrow" and "networks" are baselines. "auto": "exact" if nothing is noisy or
    missing, "marginal" for classes, levels and sets of labels with up to 40 noisy attributes,
    otherwise "latent".
noise : {"given", "learned", "both"}, default="given"
    Variance of the input noise: from the given errors, one learned variance per attribute, or the
    sum of both.
kernel : {choices of kernel}, default="auto"
    Kernel of the latent functions, which sets how smooth they are. "se" is the squared exponential.
    A sum adds a linear function to a nonlinear one. "auto": "matern32" for classes, levels and
    labels with alpha above 0, but "linear+matern32" if given errors differ from row to row;
    "matern52" for numbers and counts with latent inputs; otherwise "se".
n_inducing : int or None, default=None
    Inducing inputs per latent function. None: one for every 20 rows, at least 40 (50 with marginal
    inputs and given noise) and at most 100; if given errors differ from row to row, one for every
    50 rows, at least 20 and at most 100.
alpha : float or None, default=None
    What training maximises, from 0 to 1. 0 is the evidence lower bound, 1 is the log of the
    predicted probability, and a number between them is a compromise (a power divergence). None: 1 for classes and labels, but 0.5 for fewer than 2000 rows of
    classes with exact inputs; 0.7 for levels; 0.7 for numbers and counts with latent inputs; 0.8 if
    noise is learned with marginal inputs; otherwise 0.
caution : float or None, default=None
    Weight of the divergence of the latent functions from their prior, above 0 and up to 1. A
    smaller weight trusts the data more. None: 0.3 for classes, levels and labels with alpha above 0
    and given noise (0.45 if errors differ from row to row; 1 for fewer than 2000 rows of classes
    with exact inputs); otherwise 1.
lengthscale_prior : float or None, default=None
    Width of a log-normal prior of the lengthscales, centred at 1.6 times the square root of the
    number of attributes; 0: no prior. None: 0.5 for classes, levels and labels with alpha above
    0; otherwise no prior.
max_epochs : int or None, default=None
    Passes over the data: the maximum with ``stop="auto"``, the exact number with ``stop="fixed"``.
    None: 1000 steps but at least 15 passes if alpha is above 0 and inputs are not "latent" or
    "amortised"; otherwise 10000 steps but at least 100 passes.
stop : {"auto", "fixed"}, default="auto"
    "auto": stop when the bound no longer improves. "fixed": stop after `max_epochs` passes, with a
    constant step size.
batch_size : int or None, default=None
    Rows in a minibatch. None: 50 with marginal inputs, otherwise 200.
last_batch : {"even", "rest"}, default="even"
    "even": the minibatches of an epoch have one size. "rest": all but the last are full, and the
    last has the remaining rows.
row_steps : {"visited", "always"}, default="visited"
    When Adam moves the parameters of a single row, with latent inputs. "visited": in steps whose
    minibatch has the row. "always": in every step, with gradient zero if the minibatch does not
    have the row.
learning_rate : float, default=0.02
    Step size of Adam.
lengthscale_rate : float, default=1.0
    Step size of the logarithms of lengthscales, relative to `learning_rate`. 0.5 gives the
    logarithms of squared lengthscales the same step size as all other parameters.
warm_up : int, default=1000
    Number of first steps in which the random draws of noisy inputs grow to their full width; at
    most 300 with "marginal" and "resampled" inputs.
precision : {"double", "single"}, default="double"
    Precision of the large matrix products in a training step. "single" is faster if there are many
    attributes. Sums, factorisations and parameters are always double.
n_draws : int or None, default=None
    Points at which each row is evaluated in a training step. None: with marginal inputs 2,
    but 8 if errors differ from row to row and 16 if noise is learned; with latent inputs 4 for numbers and
    counts; otherwise 1.
n_points : int or None, default=None
    Quasi-random points over which the prediction of a noisy row is averaged. None: as many as
    `tolerance` requires, but 256 for numbers and counts, and for more than 64 attributes.
tolerance : float, default=0.002
    Accuracy of the predicted probabilities of noisy rows if `n_points` is None: nearly all of
    them differ by less than this from the average over all possible true inputs. The parts of an
    entropy (`uncertainty`) are less accurate: about 0.015 nats at the default. A fixed `n_points`
    such as 4096 makes them more accurate.
noise_start : float or None, default=None
    Initial value of a learned noise variance, relative to the attribute's variance. None: the input model
    chooses.
degree : int, default=3
    Degree of the polynomial kernel.
n_layers, n_units : int, default=2 and 50
    Hidden layers of the network of "amortised", and the width of each.
population : {"auto", "flat", "gaussian", "mixture", "wide"}, default="auto"
    Distribution of the true inputs before they are measured: no value is much likelier than another
    ("flat"), or learned as one Gaussian, as a mixture of several, or as a "wide" mixture, with four
    times the learned covariances. "auto": a mixture if errors or missing cells differ from row to
    row and the input model uses them; "wide" if all rows are equally noisy, inputs are marginal,
    noise is given, and there are at least 40 rows and 5 for each attribute; otherwise "flat".
prior_variance : float, default=1000
    Variance of a flat population, in standard units.
missing : {"auto", "ignore"}, default="auto"
    "auto": the model sees which cells are missing, in columns with enough of them. "ignore": it
    does not.
warp : {"auto", "none"}, default="auto"
    "auto": attributes with heavy tails are transformed by asinh if classes are predicted and no
    cell has an error or is missing. "none": they are not.
views : {"auto", "one", "panel"}, default="auto"
    "one": one fit, which sees the rows as they are. "panel": more fits, which see them in other
    ways, with weights that depend on the row. "auto": "one".
learn_novelty : {"auto", "always"}, default="auto"
    When the estimator learns the quantities that :meth:`novelty` needs. "auto": if it learns a
    population of true inputs. "always": in any case.
jitter : float, default=1e-6
    Added to the diagonal of covariance matrices, relative to the kernel's variance.
whiten : bool, default=True
    Whether training moves the posterior of the inducing values in units of their prior.
    With False, it moves them as they are: the same distributions, but other steps of Adam.
white_start : float or None, default=None
    Initial variance of the latent functions' white noise. None: exp(-10).
standardise : bool, default=True
    Whether attributes (and targets that are numbers) are scaled to mean 0 and standard deviation 1.
    No scaler is needed.
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
"""

CLASS_PARAMETERS = """\
class_weight : dict, "balanced" or None, default=None
    Weights of the classes, as in scikit-learn. They multiply `sample_weight`.
calibrate : bool, default=True
    Whether the probabilities are calibrated with a temperature, found by cross-validation. This
    adds four short trainings, each without a quarter of the rows. Tables with fewer than 40 rows
    are not calibrated.
"""

CLASS_ATTRIBUTES = """\
class_shares_ : ndarray of shape (n_classes,)
    Weighted shares of the classes in the training rows; empty for model files of older versions.
temperature_ : float
    T: the probabilities are proportional to p^(1/T); 1 if they are not calibrated.
"""

ATTRIBUTES = """\
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only if the columns of X had names.
lengthscales_ : ndarray of shape (n_functions, n_features_in_)
    Lengthscales of each latent function's kernel, in the units of X; for a kernel that is a sum,
    the shape is (n_functions, n_terms, n_features_in_).
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

_SHARED = {"parameters": PARAMETERS, "class_parameters": CLASS_PARAMETERS,
           "attributes": ATTRIBUTES, "class_attributes": CLASS_ATTRIBUTES,
           "notes": NOTES}  # fmt: skip

Class = TypeVar("Class", bound=type)


def _choices(place: re.Match[str]) -> str:
    """The library's list of an option's values, or of the likelihoods of a target."""
    names = _native.choices().get(place[1]) or _native.likelihoods(place[1])
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"


def documented(cls: Class) -> Class:
    """Inserts the shared texts where a class's docstring has a line like ``{parameters}``."""
    if cls.__doc__:  # there is none under -OO
        text = inspect.cleandoc(cls.__doc__) + "\n"
        for name, shared in _SHARED.items():
            text = text.replace(f"\n{{{name}}}\n", f"\n{shared}")
        cls.__doc__ = re.sub(r"{choices of (\w+)}", _choices, text)
    return cls
