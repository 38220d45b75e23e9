#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/nimgp-VERSION.tar.gz, and from it the wheel, which works with every Python 3 (py3-none: python/meson.build);
# auditwheel adds the tag of the systems (manylinux_*).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/tool-env.sh package
export PATH=$PWD/build/package-venv/bin:$PATH
work=build/package
rm -rf "$work" dist
mkdir -p "$work" dist

log=build/package.log
run() { "$@" >>"$log" 2>&1 || { tail -n 20 "$log" >&2; echo "wheel: failed: $*" >&2; exit 1; }; }
: >"$log"
run python -m build --sdist --outdir dist .
run python -m pip wheel --no-deps --disable-pip-version-check -w "$work" dist/nimgp-*.tar.gz
run auditwheel repair --wheel-dir dist "$work"/nimgp-*.whl
auditwheel show dist/nimgp-*.whl | tail -n +2
ls -l dist
