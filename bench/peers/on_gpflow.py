# SPDX-License-Identifier: Apache-2.0
"""The model in GPflow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import gpflow
import numpy as np
import tensorflow as tf
import tf_keras
from cases import EPOCH, STEP_SIZE, THREADS, Case, Step
from gpflow.conditionals import base_conditional
from gpflow.covariances import Kuf, Kuu
from random_data import random_data

EPSILON = 1e-3  # of the robust-max likelihood
DEGREE = 9  # of the polynomial kernel
SINGLE_JITTER = 1e-4  # on the diagonals in single precision; GPyTorch adds as much by itself


def kernel_of(case: Case) -> Any:
    """Length-scales of sqrt(d) keep the kernel's values off zero, whatever d."""
    d = case.attributes
    if case.kernel == "se":
        return gpflow.kernels.SquaredExponential(lengthscales=np.full(d, math.sqrt(d)))
    return gpflow.kernels.Polynomial(degree=DEGREE, variance=np.full(d, 1.0 / d))


def model_of(case: Case, z: Any, base: type) -> Any:
    classes = case.classes
    points = [gpflow.inducing_variables.InducingPoints(z_c) for z_c in z]
    return base(
        gpflow.kernels.SeparateIndependent([kernel_of(case) for _ in range(classes)]),
        gpflow.likelihoods.MultiClass(
            classes, invlink=gpflow.likelihoods.RobustMax(classes, epsilon=EPSILON)
        ),
        gpflow.inducing_variables.SeparateIndependentInducingVariables(points),
        num_latent_gps=classes,
        q_diag=False,
        whiten=True,
        num_data=EPOCH * case.batch,
    )


class UnrolledSVGP(gpflow.models.SVGP):
    """The classes in a Python loop: GPflow's own tf.map_fn over them defeats XLA."""

    def elbo(self, data: tuple[Any, Any]) -> Any:
        x, y = data
        means, variances = [], []
        pairs = zip(self.kernel.kernels, self.inducing_variable.inducing_variable_list, strict=True)
        for c, (kernel, points) in enumerate(pairs):
            mean, variance = base_conditional(
                Kuf(points, kernel, x),
                Kuu(points, kernel, jitter=gpflow.default_jitter()),
                kernel.K_diag(x),
                self.q_mu[:, c : c + 1],
                q_sqrt=self.q_sqrt[c : c + 1],
                white=True,
            )
            means.append(mean)
            variances.append(variance)
        f_mean, f_variance = tf.concat(means, 1), tf.concat(variances, 1)
        expected = self.likelihood.variational_expectations(x, f_mean, f_variance, y)
        return tf.reduce_sum(expected) * (self.num_data / x.shape[0]) - self.prior_kl()


def step_of(case: Case, base: type, jit: bool) -> Step:
    gpflow.config.set_default_float(np.dtype(case.float_type).type)
    gpflow.config.set_default_jitter(1e-6 if case.precision == "double" else SINGLE_JITTER)
    x, y, z = random_data(case)
    data = (tf.constant(x), tf.constant(y[:, None]))
    model = model_of(case, z, base)
    variables = model.trainable_variables
    # The optimiser whose update is one kernel of TensorFlow's for each variable.
    adam = tf_keras.optimizers.legacy.Adam(STEP_SIZE)

    @tf.function(jit_compile=jit)
    def step() -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            loss = model.training_loss(data)
        adam.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return lambda: float(step())


def variants(case: Case) -> Iterator[tuple[str, Callable[[], Step]]]:
    svgp = gpflow.models.SVGP
    yield "tf.function", lambda: step_of(case, svgp, False)
    yield "tf.function, unrolled", lambda: step_of(case, UnrolledSVGP, False)
    yield "XLA", lambda: step_of(case, svgp, True)
    yield "XLA, unrolled", lambda: step_of(case, UnrolledSVGP, True)


def start() -> None:
    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(THREADS)
