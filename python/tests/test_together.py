# SPDX-License-Identifier: Apache-2.0
"""In one process with NumPy's BLAS and with torch, imported in either order."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import importlib, os, sys

def state():
    import numpy as np
    from threadpoolctl import threadpool_info
    tiny, normal = np.float64(5e-324), np.float64(2.2250738585072014e-308)
    single = np.float32(1e-45)
    assert tiny * 1 != 0 and normal / 2 != 0 and single * np.float32(1) != 0, "denormals are gone"
    a = np.full(64, 1e-310)
    assert (a * 0.5 != 0).all() and (a @ np.eye(64) != 0).all()
    pools = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    variables = {k: v for k, v in os.environ.items() if "THREADS" in k}
    torch = sys.modules.get("torch")
    if torch is not None:
        pools["torch"] = torch.get_num_threads(), torch.get_num_interop_threads()
        assert (torch.tensor([5e-324], dtype=torch.float64) * 1 != 0).all()
    return pools, variables

def train():
    from nimgp import NoisyGPClassifier
    X = np.random.default_rng(0).normal(size=(150, 3))
    clf = NoisyGPClassifier(epochs=10, calibrate=False, random_state=0)
    return clf.fit(X, X[:, 0] > 0).predict_proba(X)

def check(before):
    after = state()
    assert after == before, (before, after)

order = sys.argv[1].split(",")
for name in order:
    before = state() if name == "nimgp" and name != order[0] else None
    importlib.import_module(name)
    if before:  # more pools than before there may be: scikit-learn brings some
        pools, variables = state()
        assert {path: pools[path] for path in before[0]} == before[0] and variables == before[1]
import numpy as np
product = np.random.default_rng(1).normal(size=(300, 300))
import sklearn, scipy.linalg
before, square = state(), product @ product
p = train()
check(before)
assert np.array_equal(product @ product, square)
if "torch" in order:
    import torch
    x = torch.from_numpy(product)
    assert np.allclose((x @ x).numpy(), square)
    loss = (torch.nn.Linear(300, 1).double()(x) ** 2).mean()
    loss.backward()
    check(before)
assert np.array_equal(train(), p)
mine = [line.split()[-1] for line in open("/proc/self/maps") if "libnimgp-core" in line]
assert mine
sys.stdout.buffer.write(p.tobytes())
"""


def run(order: str) -> bytes:
    done = subprocess.run([sys.executable, "-c", PROGRAM, order], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_with_numpy_in_either_order():
    assert run("numpy,nimgp") == run("nimgp,numpy") != b""


def test_with_torch_in_either_order():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("NO TORCH: it is large and not installed here; the test was not made")
    assert run("torch,nimgp") == run("nimgp,torch") == run("numpy,nimgp")


def test_the_library_needs_nothing_but_the_system():
    """No BLAS, no OpenMP: nothing that could be a second copy of somebody else's."""
    from nimgp._native import core

    needed = subprocess.run(["ldd", core.library._name], capture_output=True, text=True)
    names = {line.split()[0].split("/")[-1] for line in needed.stdout.splitlines()}
    assert names <= {"linux-vdso.so.1", "libm.so.6", "libc.so.6", "libpthread.so.0",
                     "ld-linux-x86-64.so.2"}, names  # fmt: skip


def test_threads_of_one_process():
    """Fits, predictions and saves at once give what they give alone; `make tsan-long` looks for races in the same."""
    script = pathlib.Path(__file__).parents[2] / "tests" / "fault" / "check_python_races.py"
    done = subprocess.run([sys.executable, script], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
