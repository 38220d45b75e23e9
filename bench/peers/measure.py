# SPDX-License-Identifier: Apache-2.0
"""Runs nimgp and its peers in turn."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cases import CASES, LIBRARIES, ROOT, THREADS, WAIT_POLICY, Case, Failure, Library, say

SCRATCH = ROOT / "build" / "peers-cache"  # where torch.compile keeps what it makes
TRIAL = 0.5  # seconds a variant is tried for, before the rounds
HOPELESS = 1.5  # a variant this much slower than its library's best in the trial is dropped
PAUSE = 0.3  # seconds between two turns, in which other work on the machine shows

# Two threads, no GPU, and memory that is freed stays with the process, for the next step.
ENVIRONMENT = {
    "OMP_NUM_THREADS": str(THREADS),
    "MKL_NUM_THREADS": str(THREADS),
    "CUDA_VISIBLE_DEVICES": "",
    "TMPDIR": str(SCRATCH),
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
}


class Worker:
    """A library in a process of its own, in one of its environments."""

    def __init__(self, library: Library, remark: str, extra: dict[str, str], python: Path) -> None:
        self.library, self.remark = library, remark
        inherited = {name: value for name, value in os.environ.items() if name != WAIT_POLICY}
        self.log = ROOT / "build" / f"peers-{library.module}.log"
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, Path(__file__).parent, "--worker", library.module],
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


def installed(venv: Path) -> list[Library]:
    """The peers that bench/peers/setup.sh got to work; says which are missing."""
    found = [library for library in LIBRARIES if (venv / f".installed-{library.module}").exists()]
    for library in LIBRARIES:
        if library not in found:
            say(f"peers: {library.name} is not installed and is left out")
    if not found:
        raise Failure("there is nothing to compare with; run bench/peers/setup.sh first")
    return found


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
