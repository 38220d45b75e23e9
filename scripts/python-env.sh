#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Creates build/python-venv with the versions pinned in python/requirements-test.txt and the package of
# this tree. Completed steps are not repeated.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/build/python-venv
log=build/python-env.log
mkdir -p build

say() { echo "python-env: $*" >&2; }
stop() {
    say "$*; the last lines of $log are:"
    tail -n 15 "$log" >&2
    exit 1
}
install() { "$venv/bin/python" -m pip install --disable-pip-version-check --quiet "$@" >>"$log" 2>&1; }

# done_already NAME FINGERPRINT; finished NAME FINGERPRINT
done_already() { [ "$(cat "$venv/.$1" 2>/dev/null)" = "$2" ]; }
finished() { echo "$2" >"$venv/.$1"; }

: >"$log"
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    python3 -m venv "$venv" >>"$log" 2>&1 ||
        stop "could not make a virtual environment (is python3-venv installed?)"
fi

wanted=$({ "$venv/bin/python" -VV; cat python/requirements-test.txt; } | sha256sum)
if ! done_already requirements "$wanted"; then
    say "installing what the Python tests need (a minute or two)"
    install -r python/requirements-test.txt || stop "could not install python/requirements-test.txt"
    finished requirements "$wanted"
fi

wanted=$({ echo "$wanted"; find include src generate measure score report python/nimgp python/meson.build meson.build \
    meson_options.txt pyproject.toml docs/python.md LICENSE -type f -not -name '*.pyc' -print0 |
    sort -z | xargs -0 sha256sum; } | sha256sum)
if ! done_already package "$wanted"; then
    # Uses the environment's own meson and ninja, and keeps the build directory for the next time.
    PATH="$venv/bin:$PATH" install --no-build-isolation --no-deps --force-reinstall \
        --config-settings=build-dir=build/python-package . || stop "could not build the package"
    finished package "$wanted"
fi
