# SPDX-License-Identifier: Apache-2.0
"""The model in GPyTorch."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import gpytorch
import torch
import torch._dynamo
import torch._inductor.config
from cases import EPOCH, STEP_SIZE, THREADS, WAIT_POLICY, Case, Step
from random_data import random_data


def strategy_of(diagonal: bool) -> type:
    """The stock strategy prepares the full covariance of a batch; the bound needs its diagonal."""
    stock = gpytorch.variational.IndependentMultitaskVariationalStrategy
    if not diagonal:
        return stock

    class DiagonalStrategy(stock):  # type: ignore[misc, valid-type]
        def __call__(self, x: Any, prior: bool = False, **_: Any) -> Any:
            batch = self.base_variational_strategy(x, prior=prior, diag=True)
            return gpytorch.distributions.MultitaskMultivariateNormal.from_batch_mvn(batch)

    return DiagonalStrategy


def model_of(case: Case, z: Any, diagonal: bool) -> Any:
    shape = torch.Size([case.classes])
    variational, kernels = gpytorch.variational, gpytorch.kernels

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self) -> None:
            q = variational.CholeskyVariationalDistribution(case.inducing, batch_shape=shape)
            base = variational.VariationalStrategy(self, z, q, learn_inducing_locations=True)
            super().__init__(strategy_of(diagonal)(base, num_tasks=case.classes))
            self.mean = gpytorch.means.ZeroMean(batch_shape=shape)
            se = kernels.RBFKernel(ard_num_dims=case.attributes, batch_shape=shape)
            self.kernel = kernels.ScaleKernel(se, batch_shape=shape)
            self.kernel.outputscale = 1.0
            se.lengthscale = math.sqrt(case.attributes)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    return Model()


def step_of(case: Case, diagonal: bool, threads: int = THREADS, jit: bool = False) -> Step:
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, case.float_type))
    x, y, z = (torch.as_tensor(array) for array in random_data(case))
    model = model_of(case, z, diagonal).train()
    likelihood = gpytorch.likelihoods.SoftmaxLikelihood(
        num_features=case.classes, num_classes=case.classes, mixing_weights=False
    ).train()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=EPOCH * case.batch)
    adam = torch.optim.Adam(model.parameters(), lr=STEP_SIZE, fused=True)

    def forward() -> Any:
        return -bound(model(x), y)

    if jit:
        forward = torch.compile(forward)

    def step() -> float:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        adam.zero_grad(set_to_none=True)
        loss = forward()
        loss.backward()
        adam.step()
        return loss.item()

    return step


def variants(case: Case) -> Iterator[tuple[str, Callable[[], Step]]]:
    """No polynomial: GPyTorch's has no scale for each attribute."""
    if case.kernel != "se":
        return
    yield "eager", lambda: step_of(case, False)
    yield "eager, diagonal", lambda: step_of(case, True)
    if WAIT_POLICY not in os.environ:  # a single thread waits for none
        yield "eager, diagonal, 1 thread", lambda: step_of(case, True, threads=1)
    if case.shape == "mnist":  # it takes a minute, and slows the smaller shapes down
        yield "torch.compile, diagonal", lambda: step_of(case, True, jit=True)


def start() -> None:
    torch.set_num_threads(THREADS)
    torch.set_num_interop_threads(1)
    torch._dynamo.config.recompile_limit = 64
    torch._dynamo.config.capture_scalar_outputs = True
    torch._inductor.config.fallback_random = True  # the draws of the uncompiled model
