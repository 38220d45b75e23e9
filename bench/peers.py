#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times one training step of the same model in nimgp, GPflow and GPyTorch, and compares them.

A step is the bound, its gradient with respect to all parameters, and an Adam update. The libraries run
in separate processes and alternate, round by round; only one computes at a time. If a library can be
used in several ways, all reasonable ways are measured, and the fastest is reported.

This program needs the standard library only; its workers run in the virtual environment that
bench/peers-setup.sh makes. `make bench-peers` does both.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build" / "peers-cache"  # where torch.compile keeps what it makes
THREADS = 2
EPSILON = 1e-3  # of the robust-max likelihood
STEP_SIZE = 1e-3  # of Adam
DEGREE = 9  # of the polynomial kernel
EPOCH = 10  # batches a data set; scales the bound, costs nothing
TRIAL = 0.5  # seconds a variant is tried for, before the rounds
SINGLE_JITTER = 1e-4  # on GPflow's diagonals in single precision; GPyTorch adds as much by itself
HOPELESS = 1.5  # a variant this much slower than its library's best in the trial is dropped
TOO_BUSY = 0.1  # share of the machine that others may use before the page warns
PAUSE = 0.3  # seconds between two turns, in which other work on the machine shows

WAIT_POLICY = "OMP_WAIT_POLICY"
# Two threads, no GPU, and memory that is freed stays with the process, for the next step.
ENVIRONMENT = {
    "OMP_NUM_THREADS": str(THREADS),
    "MKL_NUM_THREADS": str(THREADS),
    "CUDA_VISIBLE_DEVICES": "",
    "TMPDIR": str(SCRATCH),
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
}

Step = Callable[[], float]  # does one training step and returns the loss, minus the bound


@dataclass(frozen=True)
class Case:
    """What is timed: B rows, C classes, M inducing inputs a class, d attributes, a kernel, and
    whether in double or single precision."""

    shape: str
    kernel: str
    batch: int
    classes: int
    inducing: int
    attributes: int
    precision: str = "double"

    @property
    def name(self) -> str:
        name = f"{self.shape}/{self.kernel}"
        return name if self.precision == "double" else f"{name}/{self.precision}"

    @property
    def float_type(self) -> str:
        return "float64" if self.precision == "double" else "float32"


CASES = [
    Case("glass", "se", 50, 6, 10, 9),
    Case("synthetic", "se", 200, 3, 100, 2),
    Case("mnist", "se", 200, 10, 100, 784),
    Case("mnist", "polynomial", 200, 10, 100, 784),
    Case("glass", "se", 50, 6, 10, 9, "single"),
    Case("synthetic", "se", 200, 3, 100, 2, "single"),
    Case("mnist", "se", 200, 10, 100, 784, "single"),
]


@dataclass(frozen=True)
class Library:
    """A peer, and the environments its worker processes are started in, each with a remark."""

    name: str
    module: str
    likelihood: str
    packages: tuple[str, ...]
    environments: tuple[tuple[str, dict[str, str]], ...]


LIBRARIES = [
    Library(
        "GPflow",
        "gpflow",
        "robust-max, 20-point Gauss-Hermite",
        ("gpflow", "tensorflow-cpu", "tensorflow-probability", "tf-keras", "numpy"),
        (("", {"TF_CPP_MIN_LOG_LEVEL": "2"}),),
    ),
    Library(
        "GPyTorch",
        "gpytorch",
        "softmax, 10 samples",
        ("gpytorch", "linear-operator", "torch", "numpy"),
        # Threads that spin while they wait are the default: best alone, terrible in company.
        (("", {}), (", sleeping wait", {WAIT_POLICY: "passive"})),
    ),
]


# ---- The models, in the workers ---------------------------------------------------------------


def random_data(case: Case) -> tuple[Any, Any, Any]:
    """Inputs (B x d), labels (B), inducing inputs (C x M x d): random, the same for all peers."""
    import numpy as np

    rng = np.random.default_rng(0)
    x = rng.standard_normal((case.batch, case.attributes))
    y = rng.integers(0, case.classes, case.batch)
    z = rng.standard_normal((case.classes, case.inducing, case.attributes))
    return x.astype(case.float_type), y, z.astype(case.float_type)


def gpflow_kernel(case: Case) -> Any:
    """Length-scales of sqrt(d) keep the kernel's values off zero, whatever d."""
    import gpflow
    import numpy as np

    d = case.attributes
    if case.kernel == "se":
        return gpflow.kernels.SquaredExponential(lengthscales=np.full(d, math.sqrt(d)))
    return gpflow.kernels.Polynomial(degree=DEGREE, variance=np.full(d, 1.0 / d))


def gpflow_model(case: Case, z: Any, base: type) -> Any:
    import gpflow

    classes = case.classes
    points = [gpflow.inducing_variables.InducingPoints(z_c) for z_c in z]
    return base(
        gpflow.kernels.SeparateIndependent([gpflow_kernel(case) for _ in range(classes)]),
        gpflow.likelihoods.MultiClass(
            classes, invlink=gpflow.likelihoods.RobustMax(classes, epsilon=EPSILON)
        ),
        gpflow.inducing_variables.SeparateIndependentInducingVariables(points),
        num_latent_gps=classes,
        q_diag=False,
        whiten=True,
        num_data=EPOCH * case.batch,
    )


def gpflow_unrolled() -> type:
    """SVGP with the classes in a Python loop: GPflow's own tf.map_fn over them defeats XLA."""
    import gpflow
    import tensorflow as tf
    from gpflow.conditionals import base_conditional
    from gpflow.covariances import Kuf, Kuu

    class UnrolledSVGP(gpflow.models.SVGP):
        def elbo(self, data: tuple[Any, Any]) -> Any:
            x, y = data
            means, variances = [], []
            pairs = zip(self.kernel.kernels, self.inducing_variable.inducing_variable_list)
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

    return UnrolledSVGP


def gpflow_step(case: Case, base: type, jit: bool) -> Step:
    import gpflow
    import numpy as np
    import tensorflow as tf
    import tf_keras

    gpflow.config.set_default_float(np.dtype(case.float_type).type)
    gpflow.config.set_default_jitter(1e-6 if case.precision == "double" else SINGLE_JITTER)
    x, y, z = random_data(case)
    data = (tf.constant(x), tf.constant(y[:, None]))
    model = gpflow_model(case, z, base)
    variables = model.trainable_variables
    # The optimiser whose update is one kernel of TensorFlow's for each variable.
    adam = tf_keras.optimizers.legacy.Adam(STEP_SIZE)

    @tf.function(jit_compile=jit)
    def step() -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            loss = model.training_loss(data)
        adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return lambda: float(step())


def gpflow_variants(case: Case) -> Iterator[tuple[str, Callable[[], Step]]]:
    import gpflow

    svgp, unrolled = gpflow.models.SVGP, gpflow_unrolled()
    yield "tf.function", lambda: gpflow_step(case, svgp, False)
    yield "tf.function, unrolled", lambda: gpflow_step(case, unrolled, False)
    yield "XLA", lambda: gpflow_step(case, svgp, True)
    yield "XLA, unrolled", lambda: gpflow_step(case, unrolled, True)


def gpflow_start() -> None:
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(THREADS)


def gpytorch_strategy(diagonal: bool) -> type:
    """The stock strategy prepares the full covariance of a batch; the bound needs its diagonal."""
    import gpytorch

    stock = gpytorch.variational.IndependentMultitaskVariationalStrategy
    if not diagonal:
        return stock

    class DiagonalStrategy(stock):  # type: ignore[misc, valid-type]
        def __call__(self, x: Any, prior: bool = False, **_: Any) -> Any:
            batch = self.base_variational_strategy(x, prior=prior, diag=True)
            return gpytorch.distributions.MultitaskMultivariateNormal.from_batch_mvn(batch)

    return DiagonalStrategy


def gpytorch_model(case: Case, z: Any, diagonal: bool) -> Any:
    import gpytorch
    import torch

    shape = torch.Size([case.classes])
    variational, kernels = gpytorch.variational, gpytorch.kernels

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self) -> None:
            q = variational.CholeskyVariationalDistribution(case.inducing, batch_shape=shape)
            base = variational.VariationalStrategy(self, z, q, learn_inducing_locations=True)
            super().__init__(gpytorch_strategy(diagonal)(base, num_tasks=case.classes))
            self.mean = gpytorch.means.ZeroMean(batch_shape=shape)
            se = kernels.RBFKernel(ard_num_dims=case.attributes, batch_shape=shape)
            self.kernel = kernels.ScaleKernel(se, batch_shape=shape)
            self.kernel.outputscale = 1.0
            se.lengthscale = math.sqrt(case.attributes)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    return Model()


def gpytorch_step(case: Case, diagonal: bool, threads: int = THREADS, jit: bool = False) -> Step:
    import gpytorch
    import torch

    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, case.float_type))
    x, y, z = (torch.as_tensor(array) for array in random_data(case))
    model = gpytorch_model(case, z, diagonal).train()
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


def gpytorch_variants(case: Case) -> Iterator[tuple[str, Callable[[], Step]]]:
    """No polynomial: GPyTorch's has no scale for each attribute."""
    if case.kernel != "se":
        return
    yield "eager", lambda: gpytorch_step(case, False)
    yield "eager, diagonal", lambda: gpytorch_step(case, True)
    if WAIT_POLICY not in os.environ:  # a single thread waits for none
        yield "eager, diagonal, 1 thread", lambda: gpytorch_step(case, True, threads=1)
    if case.shape == "mnist":  # it takes a minute, and slows the smaller shapes down
        yield "torch.compile, diagonal", lambda: gpytorch_step(case, True, jit=True)


def gpytorch_start() -> None:
    import torch
    import torch._dynamo
    import torch._inductor.config

    torch.set_num_threads(THREADS)
    torch.set_num_interop_threads(1)
    torch._dynamo.config.recompile_limit = 64
    torch._dynamo.config.capture_scalar_outputs = True
    torch._inductor.config.fallback_random = True  # the draws of the uncompiled model


START = {"gpflow": gpflow_start, "gpytorch": gpytorch_start}
VARIANTS = {"gpflow": gpflow_variants, "gpytorch": gpytorch_variants}


# ---- The worker: one JSON request a line in, one JSON answer a line out -------------------------


def timed_round(step: Step, seconds: float) -> dict[str, float]:
    """Runs one step untimed, then steps for `seconds`, at least three; gives their median."""
    step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        loss = step()
        times.append(time.perf_counter() - start)
        if not math.isfinite(loss):
            raise ArithmeticError(f"the loss became {loss}")
    return {"ms": 1e3 * statistics.median(times), "steps": len(times)}


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def prepare(module: str, case: Case, steps: dict[str, Step]) -> dict[str, Any]:
    """Builds and compiles every variant, warms it up, and checks that they are the same model."""
    steps.clear()
    failed: dict[str, str] = {}
    first: dict[str, float] = {}
    for name, build in VARIANTS[module](case):
        try:
            step = build()
            first[name] = step()
        except Exception as error:  # pylint: disable=broad-except  # whatever the compiler throws
            failed[name] = first_line(error)
            continue
        steps[name] = step
        timed_round(step, 0.0)
    values = list(first.values())
    tolerance = 1e-6 if case.precision == "double" else 1e-3
    if any(not math.isclose(value, values[0], rel_tol=tolerance) for value in values):
        raise ArithmeticError(f"the variants of {module} differ in their first loss: {first}")
    return {"variants": list(steps), "failed": failed}


def worker(module: str) -> None:
    """Serves requests until standard input ends. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    START[module]()
    steps: dict[str, Step] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "prepare" in request:
                answer = prepare(module, Case(**request["prepare"]), steps)
            else:
                answer = timed_round(steps[request["run"]], request["seconds"])
        except Exception as error:  # pylint: disable=broad-except  # told to the one who asked
            answer = {"error": first_line(error)}
        print(json.dumps(answer), file=answers)


# ---- The conductor ----------------------------------------------------------------------------


class Failure(Exception):
    """Something that ends the run with one line."""


class Worker:
    """A library in a process of its own, in one of its environments."""

    def __init__(self, library: Library, remark: str, extra: dict[str, str], python: Path) -> None:
        self.library, self.remark = library, remark
        inherited = {name: value for name, value in os.environ.items() if name != WAIT_POLICY}
        self.log = ROOT / "build" / f"peers-{library.module}.log"
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, __file__, "--worker", library.module],
                env={**inherited, **ENVIRONMENT, **extra},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer = json.loads(line) if line else {"error": "the worker ended"}
        if "error" in answer:
            raise Failure(f"{self.library.name}: {answer['error']} (see {self.log})")
        return answer


@dataclass
class Runner:
    """One way to run one library in one case, and its time in each round."""

    library: str
    likelihood: str
    variant: str
    run: Callable[[float], float]  # given seconds to spend, gives ms a step
    rounds: list[float] = field(default_factory=list)

    @property
    def ms(self) -> float:
        return statistics.median(self.rounds)


@dataclass
class Report:
    """All that the page says, apart from its fixed text."""

    results: list[tuple[Case, list[Runner]]] = field(default_factory=list)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)  # (library, variant): why
    other_load: list[float] = field(default_factory=list)  # share of the machine, in each pause


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def nimgp_run(program: Path, case: Case) -> float:
    """The milliseconds a step of nimgp takes, as its own benchmark measures them."""
    command = [str(program), "--threads", str(THREADS), "--shape", case.shape]
    command += ["--kernel", case.kernel, "--input", "exact", "--precision", case.precision]
    command += ["--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()
        raise Failure(f"{' '.join(command)}: {lines[-1]}")
    wanted = {"shape": case.shape, "kernel": case.kernel, "input": "exact", "threads": THREADS}
    wanted["precision"] = case.precision
    for step in json.loads(done.stdout)["steps"]:
        if all(step[key] == value for key, value in wanted.items()):
            return float(step["ms"])
    raise Failure(f"{' '.join(command)}: no such step in its answer")


def nimgp_runner(program: Path, case: Case) -> Runner:
    likelihood = "robust-max, adaptive quadrature"
    return Runner("nimgp", likelihood, "", lambda _: nimgp_run(program, case))


def peer_runner(peer: Worker, variant: str) -> Runner:
    def run(seconds: float) -> float:
        return float(peer.ask(run=variant, seconds=seconds)["ms"])

    return Runner(peer.library.name, peer.library.likelihood, variant + peer.remark, run)


def peer_runners(workers: list[Worker], case: Case, report: Report) -> list[Runner]:
    """Every variant of every peer that is worth the rounds: tried once, the hopeless dropped."""
    trials: list[tuple[Runner, float]] = []
    for peer in workers:
        answer = peer.ask(prepare=vars(case))
        for variant, why in answer["failed"].items():
            report.failures[peer.library.name, variant] = why
        for variant in answer["variants"]:
            runner = peer_runner(peer, variant)
            trials.append((runner, runner.run(TRIAL)))
            say(f"  {case.name}: {runner.library} ({runner.variant}): {trials[-1][1]:.2f} ms")
    best: dict[str, float] = {}
    for runner, ms in trials:
        best[runner.library] = min(ms, best.get(runner.library, math.inf))
    return [runner for runner, ms in trials if ms <= HOPELESS * best[runner.library]]


def busy_ticks() -> tuple[int, int]:
    """Ticks of all processors since the start: busy ones, and all."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def pause_and_look() -> float:
    """Pauses while nothing of ours computes; gives the share of the machine that others use."""
    busy, total = busy_ticks()
    time.sleep(PAUSE)
    busy_now, total_now = busy_ticks()
    return (busy_now - busy) / max(1, total_now - total)


def run_case(runners: list[Runner], rounds: int, seconds: float) -> Iterator[float]:
    """The rounds of one case, forwards and backwards in turn; yields the load in each pause."""
    for number in range(rounds):
        for runner in runners if number % 2 == 0 else reversed(runners):
            yield pause_and_look()
            runner.rounds.append(runner.run(seconds))


def fastest(runners: list[Runner]) -> list[Runner]:
    """The fastest variant of each library, in the order the libraries come."""
    best: dict[str, Runner] = {}
    for runner in runners:
        if runner.library not in best or runner.ms < best[runner.library].ms:
            best[runner.library] = runner
    return list(best.values())


def check_nimgp(program: Path, cases: list[Case]) -> None:
    """Fails at once, rather than after minutes, if nimgp cannot be timed in one of the cases."""
    if not program.exists():
        raise Failure(f"{program} is not there; build nimgp first")
    for case in cases:
        nimgp_run(program, case)


def start_workers(venv: Path, stack: ExitStack) -> list[Worker]:
    workers: list[Worker] = []
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for library in installed(venv):
        (ROOT / "build" / f"peers-{library.module}.log").unlink(missing_ok=True)
        for remark, extra in library.environments:
            started = Worker(library, remark, extra, venv / "bin" / "python")
            workers.append(stack.enter_context(started))
    return workers


def measure(options: argparse.Namespace) -> Report:
    report = Report()
    cases = [case for case in CASES if not options.case or case.name in options.case]
    if not options.peers_only:
        check_nimgp(options.bench_step, cases)
    with ExitStack() as stack:
        workers = start_workers(options.venv, stack)
        for case in cases:
            say(f"{case.name}: building and compiling")
            runners = [] if options.peers_only else [nimgp_runner(options.bench_step, case)]
            runners += peer_runners(workers, case, report)
            report.other_load += run_case(runners, options.rounds, options.seconds)
            report.results.append((case, fastest(runners)))
    return report


# ---- The page ---------------------------------------------------------------------------------


def table(report: Report) -> str:
    lines = [
        "| shape | kernel | precision | library | likelihood | run as | ms per step | min..max "
        "| ratio |",
        "|---|---|---|---|---|---|---:|---:|---:|",
    ]
    for case, runners in report.results:
        base = next((runner.ms for runner in runners if runner.library == "nimgp"), None)
        for runner in runners:
            ratio = f"{runner.ms / base:.1f}" if base else "-"
            spread = f"{min(runner.rounds):.2f}..{max(runner.rounds):.2f}"
            cells = [case.shape, case.kernel, case.precision, runner.library, runner.likelihood]
            cells += [runner.variant or "-", f"{runner.ms:.2f}", spread, ratio]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def installed(venv: Path) -> list[Library]:
    """The peers that bench/peers-setup.sh got to work; says which are missing."""
    found = [library for library in LIBRARIES if (venv / f".installed-{library.module}").exists()]
    for library in LIBRARIES:
        if library not in found:
            say(f"peers: {library.name} is not installed and is left out")
    if not found:
        raise Failure("there is nothing to compare with; run bench/peers-setup.sh first")
    return found


def versions(venv: Path) -> str:
    header = (ROOT / "include" / "nimgp.h").read_text(encoding="utf-8")
    number = re.search(r'NIM_VERSION "([^"]+)"', header)
    ask = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    lines = [f"- nimgp {number[1] if number else 'of unknown version'}"]
    for library in LIBRARIES:
        if not (venv / f".installed-{library.module}").exists():
            lines.append(f"- {library.name}: could not be installed, left out")
            continue
        command = [str(venv / "bin" / "python"), "-c", ask, *library.packages]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        lines.append("- " + ", ".join(map(" ".join, zip(library.packages, answer))))
    lines.append(f"- Python {platform.python_version()}")
    return "\n".join(lines)


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def load_note(report: Report) -> str:
    middle, most = statistics.median(report.other_load), max(report.other_load)
    note = f"Between turns, other work kept {middle:.0%} of the machine busy ({most:.0%} at most)."
    if middle > TOO_BUSY:
        note += " That is too much to trust the figures: measure again when it is quiet."
    return note


def failure_notes(report: Report) -> str:
    return "".join(
        f"- {library} could not be run as \"{variant}\": {why.replace('`', '')[:160]}\n"
        for (library, variant), why in report.failures.items()
    )


PAGE = """# One training step, next to GPflow and GPyTorch

Made by `make bench-peers`; do not edit. Ratios are relative to nimgp: 2.0 means that a step takes twice as long.

{table}

Processor: {processor}, {cores} cores; {threads} threads each, unless stated.
{load}

## What is timed

One step: the bound, its gradient with respect to all parameters, and an Adam update. The model is
sparse variational multi-class classification with exact inputs: C latent processes, each with its
own kernel (one scale for each attribute) and its own inducing inputs, and whitened q(u) with full
covariance. Data and labels are random numbers in memory. The peers use the same batch in every
step; nimgp draws a new batch in every step, from five times as many rows.

{shapes}

The libraries take turns: {rounds} rounds per case, and only one computes at a time. The time of a turn
is the median over its steps; the table gives the median and the range over the rounds.

## What differs

- GPflow has the same likelihood. It uses 20 Gauss-Hermite points; nimgp chooses the points from the
  widths of q(f) (about 20 if the widths are equal, more if they differ). GPyTorch uses softmax and
  averages over 10 random samples, which is its default, so its bound is different and noisy.
- In single precision the peers compute everything in single precision, which is the default of
  GPyTorch. nimgp sums, factorises and updates in double precision (docs/derivations/single.md).
- nimgp's kernels have a white-noise variance as an additional parameter; the peers' kernels do not.
- GPflow's polynomial kernel has a learned offset, nimgp's has a learned factor; both give the same
  functions. GPyTorch's polynomial kernel has no scale for each attribute, so it is left out.
- Each peer is run in several ways, and the fastest one counts. GPflow is compiled by `tf.function`,
  with and without XLA; "unrolled" is the same bound with the classes in a Python loop, because XLA
  cannot compile GPflow's own loop. GPyTorch is run without changes; as "diagonal", which does not
  compute the covariance between rows; with one thread; and with threads that sleep instead of spin
  while they wait. `torch.compile` is used for mnist only, because it made the smaller shapes slower
  in a test. Both peers keep freed memory, which saves GPyTorch a tenth of its time for mnist.
{failures}
## Versions

{versions}
"""


def page(report: Report, options: argparse.Namespace) -> str:
    shapes = ["| shape | rows B | classes C | inducing inputs M | attributes d |"]
    shapes.append("|---|---:|---:|---:|---:|")
    for case in dict((case.shape, case) for case, _ in report.results).values():
        cells = [case.batch, case.classes, case.inducing, case.attributes]
        shapes.append(f"| {case.shape} | " + " | ".join(map(str, cells)) + " |")
    return PAGE.format(
        table=table(report),
        processor=processor(),
        cores=os.cpu_count(),
        threads=THREADS,
        load=load_note(report),
        shapes="\n".join(shapes),
        rounds=options.rounds,
        failures=failure_notes(report),
        versions=versions(options.venv),
    )


def write_page(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    build, cases = ROOT / "build", [case.name for case in CASES]
    add("--peers-only", action="store_true", help="print the peers' times, without nimgp")
    add("--case", action="append", choices=cases, help="only this, and no page; repeatable")
    add("--rounds", type=int, default=5, help="turns of each library in each case (%(default)s)")
    add("--seconds", type=float, default=1.0, help="length of a peer's turn (%(default)s)")
    add("--bench-step", type=Path, default=build / "release/bench/bench_step", metavar="PROGRAM")
    add("--venv", type=Path, default=build / "peers-venv", metavar="DIRECTORY")
    add("--output", type=Path, default=ROOT / "docs/results/peers.md", metavar="FILE")
    add("--worker", choices=list(START), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def main() -> int:
    options = parse()
    if options.worker:
        worker(options.worker)
        return 0
    try:
        report = measure(options)
    except Failure as failure:
        say(f"peers: {failure}")
        return 1
    print(table(report))
    print(load_note(report))
    if not options.peers_only and not options.case:
        write_page(page(report, options), options.output)
        say(f"peers: wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
