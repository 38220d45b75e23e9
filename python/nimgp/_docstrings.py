# SPDX-License-Identifier: Apache-2.0
"""What the docstrings of all estimators have in common, written once."""

from __future__ import annotations

import inspect
from typing import TypeVar

PARAMETERS = """\
input_model : {"latent", "amortised", "first_order", "exact", "augmented", "resampled"}, \
default="latent"
    How error bars are used. "latent" infers the true inputs of every training row; "amortised"
    does so by a network and keeps nothing for each row; "first_order" turns input noise into
    output noise; "exact" ignores error bars; the last two are baselines.
noise : {"given", "learned", "both"}, default="given"
    Input noise: the error bars as given, one learned variance per attribute, or their sum.
kernel : {"se", "matern32", "matern52", "polynomial"}, default="se"
    How smooth the latent functions are.
n_inducing : int or None, default=None
    Inducing inputs per latent function. None: a fifth of the rows, but 20 to 100.
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
n_layers, n_units : int, default=2 and 50
    Hidden layers of the amortised model's network, and the width of each.
prior_variance : float, default=1000
    Variance of the prior of true inputs, in standard units.
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

CLASS_WEIGHT = """\
class_weight : dict, "balanced" or None, default=None
    Weights of classes, as in scikit-learn; they multiply `sample_weight`.
"""

ATTRIBUTES = """\
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only when the columns of X had names.
lengthscales_ : ndarray of shape (n_functions, n_features_in_)
    Lengthscales of each latent function's kernel, in the units of X.
noise_variance_ : ndarray of shape (n_features_in_,)
    Learned noise variances of X, in its units squared; zeros when noise is given.
relevance_ : ndarray of shape (n_features_in_,)
    How much each attribute matters, the largest being 1.
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
stands in), an error of 0 an exact value. With metadata routing enabled, `X_err` is requested
by `fit`, `score` and the methods that predict, so nothing has to be set.
"""

_SHARED = {"parameters": PARAMETERS, "class_weight": CLASS_WEIGHT, "attributes": ATTRIBUTES,
           "notes": NOTES}  # fmt: skip

Class = TypeVar("Class", bound=type)


def documented(cls: Class) -> Class:
    """Puts the common texts where a class's docstring has a line like ``{parameters}``."""
    if cls.__doc__:  # there is none under -OO
        text = inspect.cleandoc(cls.__doc__) + "\n"
        for name, shared in _SHARED.items():
            text = text.replace(f"\n{{{name}}}\n", f"\n{shared}")
        cls.__doc__ = text
    return cls
