# SPDX-License-Identifier: Apache-2.0
"""What the docstrings of all estimators have in common, written once."""

from __future__ import annotations

import inspect
import re
from typing import TypeVar

from . import _native

PARAMETERS = """\
input_model : {choices of input}, default="auto"
    How error bars are used. "marginal" averages over where the true inputs may be; "latent" infers
    the true inputs of every training row; "amortised" does so by a network and keeps nothing for
    each row; "first_order" turns input noise into output noise; "exact" ignores error bars; the
    last three are baselines. "auto": "exact" where nothing is noisy or missing, "marginal" for
    classes, levels and sets of labels with up to 40 noisy attributes, otherwise "latent".
noise : {"given", "learned", "both"}, default="given"
    Input noise: the error bars as given, one learned variance per attribute, or their sum.
kernel : {choices of kernel}, default="auto"
    How smooth the latent functions are; a sum starts from planes and departs from them. "auto":
    "matern32" for classes, levels and labels where alpha is above 0 and noise given
    ("linear+matern32" where rows differ in their errors), "matern52" for numbers and counts with
    latent inputs, otherwise "se".
n_inducing : int or None, default=None
    Inducing inputs per latent function. None: a twentieth of the rows, but 40 to 100.
alpha : float or None, default=None
    Power of the divergence, 0 to 1: 0 is the evidence lower bound, 1 fits the predicted
    probabilities themselves. None: 1 for classes and labels, 0.7 for levels and, with latent
    inputs, numbers and counts, 0.8 where noise is learned with marginal inputs, otherwise 0.
caution : float or None, default=None
    Weight of the latent functions' divergence from their prior, above 0 and up to 1; less trusts
    the data more. None: 0.3 for classes, levels and labels where alpha is above 0 and noise given
    (0.45 where rows differ in their errors), otherwise 1.
lengthscale_prior : float or None, default=None
    Width of a log-normal prior of lengthscales around 1.6 times the root of the number of
    attributes; 0 is none. None: 0.5 for classes, levels and labels where alpha is above 0 and noise
    given, otherwise none.
max_epochs : int or None, default=None
    Passes over the data: the most with ``stop="auto"``, exactly so many with ``stop="fixed"``.
    None: 10000 steps, but at least 100 passes, with "latent" and "amortised" inputs, otherwise 1000
    steps, but at least 15 passes.
stop : {"auto", "fixed"}, default="auto"
    Stop when the bound has settled, or after all epochs at a constant rate.
batch_size : int or None, default=None
    Rows in a minibatch. None: 50 with marginal inputs, otherwise 200.
last_batch : {"even", "rest"}, default="even"
    Whether the minibatches of an epoch are of one size, or all but the last are full and that one
    has the rows that are left.
learning_rate : float, default=0.02
    Step size of Adam.
lengthscale_rate : float, default=1.0
    Step size of the logarithms of lengthscales, in units of `learning_rate`: 0.5 moves the squares
    of lengthscales as all else.
warm_up : int, default=1000
    Steps in which the draws of noisy inputs grow to their full width; with "marginal" and
    "resampled" inputs 300 at most.
n_draws : int or None, default=None
    Places each row is looked at in a training step. None: 4 with marginal
    inputs (16 where noise is learned) and with latent ones for numbers and counts, otherwise 1.
n_points : int or None, default=None
    Quasi-random points a noisy row is averaged over in prediction. None: as many as it needs for
    `tolerance`; 256 for numbers and counts, and with more than 64 attributes.
tolerance : float, default=0.002
    How far predicted probabilities of noisy rows may be from the average over all true inputs they
    may have, where `n_points` is None: nearly all are within it.
noise_start : float or None, default=None
    Where a learned noise variance starts, in units of the attribute's variance. None leaves it
    to the input model.
degree : int, default=3
    Degree of the polynomial kernel.
n_layers, n_units : int, default=2 and 50
    Hidden layers of the amortised model's network, and the width of each.
population : {"auto", "flat", "gaussian", "mixture"}, default="auto"
    What is assumed of true inputs before they are measured: nothing ("flat"), or how they are
    spread and hang together, learned as one Gaussian or as a mixture of several. "auto": learned
    where error bars are given, the input model uses them and rows differ in them; otherwise "flat".
prior_variance : float, default=1000
    Variance of a flat population, in standard units.
missing : {"auto", "ignore"}, default="auto"
    Whether the model sees which cells are missing. "auto": in the columns where enough are.
learn_novelty : {"auto", "always"}, default="auto"
    Whether `novelty` can be told: where a population is learned anyway, or always.
jitter : float, default=1e-6
    Added to the diagonal of covariances, in units of the kernel's variance.
standardise : bool, default=True
    Whether attributes (and targets that are numbers) are brought to mean 0 and deviation 1. No
    scaler is needed.
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
"""

CLASS_PARAMETERS = """\
class_weight : dict, "balanced" or None, default=None
    Weights of classes, as in scikit-learn; they multiply `sample_weight`.
calibrate : bool, default=True
    Whether the probabilities are sharpened or softened by what rows kept aside say. Training then
    ends with four short ones without a quarter of the rows each; not for fewer than 40 rows.
"""

CLASS_ATTRIBUTES = """\
class_shares_ : ndarray of shape (n_classes,)
    Their shares in training, by weight; empty where an older model file does not tell.
temperature_ : float
    T: the probabilities are in proportion to p^(1/T); 1 where they are not calibrated.
"""

ATTRIBUTES = """\
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only when the columns of X had names.
lengthscales_ : ndarray of shape (n_functions, n_features_in_)
    Lengthscales of each latent function's kernel, in the units of X; those of a sum have the shape
    (n_functions, n_terms, n_features_in_).
noise_variance_ : ndarray of shape (n_features_in_,)
    Learned noise variances of X, in its units squared; zeros when noise is given.
relevance_ : ndarray of shape (n_features_in_,)
    How much each attribute matters, the largest being 1.
population_ : Population
    How true inputs are spread: `shares`, `means` and `covariances` of Gaussians, in the units of X;
    empty where nothing is assumed (flat).
elbo_ : float
    Evidence lower bound, the mean over the last epoch.
n_iter_ : int
    Epochs the model was trained for.
n_inducing_ : int
    Inducing inputs per latent function.
history_ : ndarray of shape (n_iter_, 2)
    Epoch and bound, a row for each epoch; empty after :meth:`load`.
"""

NOTES = """\
``NaN`` in X is a missing value, ``NaN`` in `X_err` an unknown error (the attribute's median
stands in, larger or smaller as the row's other errors are), an error of 0 an exact value. With
metadata routing enabled, `X_err` is requested by `fit`, `score` and the methods that predict, so
nothing has to be set.
"""

_SHARED = {"parameters": PARAMETERS, "class_parameters": CLASS_PARAMETERS,
           "attributes": ATTRIBUTES, "class_attributes": CLASS_ATTRIBUTES,
           "notes": NOTES}  # fmt: skip

Class = TypeVar("Class", bound=type)


def _choices(place: re.Match[str]) -> str:
    """The library's own list: of an option's values, or of the likelihoods of a target."""
    names = _native.choices().get(place[1]) or _native.likelihoods(place[1])
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"


def documented(cls: Class) -> Class:
    """Puts the common texts where a class's docstring has a line like ``{parameters}``."""
    if cls.__doc__:  # there is none under -OO
        text = inspect.cleandoc(cls.__doc__) + "\n"
        for name, shared in _SHARED.items():
            text = text.replace(f"\n{{{name}}}\n", f"\n{shared}")
        cls.__doc__ = re.sub(r"{choices of (\w+)}", _choices, text)
    return cls
