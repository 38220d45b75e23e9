# SPDX-License-Identifier: Apache-2.0
"""What the tests share: small problems, and where things are."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn skips a check
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest

from problems import ROOT, Problem, make_problem


def pytest_configure(config: pytest.Config) -> None:
    """Tests train briefly, and so does the user guide; test_training looks at the warning."""
    unsettled = "ignore:training stopped after:sklearn.exceptions.ConvergenceWarning"
    config.addinivalue_line("filterwarnings", unsettled)
    # A shell's background jobs are deaf to Ctrl-C, and so would be the tests of it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def problem() -> Problem:
    return make_problem()


@pytest.fixture
def data() -> Path:
    """The folder of data sets, which are not part of the project."""
    folder = Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"NO DATA: {folder} is not there; set NIMGP_DATA")
    return folder


@pytest.fixture(scope="session")
def c_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """Runs c_api.c, built against the C library of the plain build, not the package's."""
    build = Path(os.environ.get("NIMGP_BUILD", ROOT / "build" / "release"))
    if not (build / "libnimgp.so").exists():
        pytest.skip(f"NO C LIBRARY: {build / 'libnimgp.so'} is not built; run `make build`")
    program = tmp_path_factory.mktemp("c") / "c_api"
    source = Path(__file__).with_name("c_api.c")
    subprocess.run(
        ["cc", "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", source,
         f"-L{build}", "-lnimgp", f"-Wl,-rpath,{build}", "-o", program],
        check=True,
    )  # fmt: skip
    return lambda *arguments, **more: (
        subprocess.run(
            [program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, **more
        ).stdout
    )
