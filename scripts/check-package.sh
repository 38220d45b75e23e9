#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the wheel of scripts/wheel.sh into a new virtual environment without compiler and sources, and runs the quick
# part of the Python tests there.
set -euo pipefail
cd "$(dirname "$0")/.."

wheel=$(ls dist/nimgp-*-py3-none-manylinux_*.whl)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
python=$place/venv/bin/python
pip() { PATH=$place/venv/bin "$python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install --only-binary :all: "$wheel[tables]" "$(grep -x 'pytest==.*' python/requirements-test.txt)"
pip check

mkdir -p "$place/python/tests"
cp python/tests/{conftest,problems,test_choices,test_estimators}.py "$place/python/tests"
cp pyproject.toml "$place"
cd "$place"
PATH=$place/venv/bin "$python" - <<'END'
import pathlib, shutil, sys
import nimgp
assert not any(map(shutil.which, ("cc", "gcc", "clang"))), "a compiler is in reach"
assert pathlib.Path(nimgp.__file__).is_relative_to(sys.prefix), nimgp.__file__
END
PATH=$place/venv/bin "$python" -m pytest -q -p no:cacheprovider python/tests
