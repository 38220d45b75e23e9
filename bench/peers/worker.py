# SPDX-License-Identifier: Apache-2.0
"""A library in a process of its own: one JSON request a line in, one JSON answer a line out."""

from __future__ import annotations

import importlib
import json
import math
import os
import statistics
import sys
import time
from types import ModuleType
from typing import Any

from cases import Case, Step


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


def prepare(peer: ModuleType, case: Case, steps: dict[str, Step]) -> dict[str, Any]:
    """Builds and compiles every variant, warms it up, and checks that they are the same model."""
    steps.clear()
    failed: dict[str, str] = {}
    first: dict[str, float] = {}
    for name, build in peer.variants(case):
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
        raise ArithmeticError(f"the variants of {peer.__name__} differ in their first loss: {first}")
    return {"variants": list(steps), "failed": failed}


def serve(module: str) -> None:
    """Serves requests until standard input ends. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    peer = importlib.import_module(f"on_{module}")
    peer.start()
    steps: dict[str, Step] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "prepare" in request:
                answer = prepare(peer, Case(**request["prepare"]), steps)
            else:
                answer = timed_round(steps[request["run"]], request["seconds"])
        except Exception as error:  # pylint: disable=broad-except  # told to the one who asked
            answer = {"error": first_line(error)}
        print(json.dumps(answer), file=answers)
