#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Creates build/NAME-venv with the versions pinned in scripts/requirements-NAME.txt, if it does not exist.
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
