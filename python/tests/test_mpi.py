# SPDX-License-Identifier: Apache-2.0
"""Training by many processes over mpi4py, under a real mpirun."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from nimgp import NoisyGPClassifier

PROGRAM = pathlib.Path(__file__).with_name("mpi_program.py")


def run(task, processes, directory):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: training over it is not tested")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: training over mpi4py is not tested")
    directory.mkdir()
    # More processes than processors give way to each other.
    environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,vader,tcp")
    launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet", "-n", str(processes)]
    words = [*launch, sys.executable, "-m", "mpi4py", PROGRAM, task, directory]
    done = subprocess.run(
        words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_same_bytes_for_any_number_of_processes(tmp_path):
    for processes in (1, 3):
        run("fit", processes, tmp_path / str(processes))
    names = sorted(path.name for path in (tmp_path / "1").iterdir() if not path.name.startswith("model"))
    assert len(names) == 6
    for name in names:
        contents = {(tmp_path / str(processes) / name).read_bytes() for processes in (1, 3)}
        assert len(contents) == 1, name


def test_stopped_refused_and_copied(tmp_path):
    run("rest", 3, tmp_path / "rest")


def test_not_a_communicator():
    with pytest.raises(TypeError, match="comm=3 is neither"):
        NoisyGPClassifier(comm=3).fit([[0.0], [1.0]], [0, 1])
