#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes build/NAME-venv with what scripts/requirements-NAME.txt pins, unless it is there already.
#
# usage: tool-env.sh NAME
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/$1-venv
wanted=scripts/requirements-$1.txt
cmp -s "$wanted" "$venv/.requirements" && exit 0
rm -rf "$venv"
mkdir -p build
python3 -m venv "$venv"
echo "tool-env: installing $wanted" >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted"
cp "$wanted" "$venv/.requirements"
