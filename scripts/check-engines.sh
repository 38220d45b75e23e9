#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests nimgp.lsdb, nimgp.rail and nimgp.spark with the real packages, in build/engines-venv; then predicts a HATS
# catalogue of ROWS rows (10^6) with two workers, killed once and gone on.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh engines
scripts/tool-env.sh engines
python=$PWD/build/engines-venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall .
cd tests/engines
"$python" -m pytest -q -p no:cacheprovider -p no:logging -W ignore .
"$python" killed_sky.py --rows "${ROWS:-1000000}"
