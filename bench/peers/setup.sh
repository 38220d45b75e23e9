#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the libraries that bench/peers compares with into build/peers-venv, as pinned in
# bench/peers/requirements.txt. Libraries that are installed are skipped. The first run downloads
# about 2.9 GB and needs about 5.8 GB of disk. Fails only if no library could be installed.
set -uo pipefail
cd "$(dirname "$0")/../.."

venv=build/peers-venv
requirements=bench/peers/requirements.txt
log=build/peers-setup.log

say() { echo "peers-setup: $*" >&2; }

# The pins under "# [NAME]".
section() { awk -v head="# [$1]" '/^# \[/ { on = $0 == head; next } on && NF' "$requirements"; }

# A digest of what an installed section depends on; kept in a file for the next run.
fingerprint() { { "$venv/bin/python" -VV; section common; section "$1"; } | sha256sum; }

install_section() {
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-cache-dir --no-deps \
        --quiet -r <(section "$1") >>"$log" 2>&1
}

# provide NAME: installs a library; true if it can be imported then.
provide() {
    local name=$1 stamp=$venv/.installed-$1
    [ "$(cat "$stamp" 2>/dev/null)" = "$(fingerprint "$name")" ] && return
    rm -f "$stamp"
    say "installing $name (a few minutes)"
    if ! { install_section common && install_section "$name"; }; then
        say "could not install $name; the last lines of $log are:"
        tail -n 3 "$log" >&2
        return 1
    fi
    if ! TF_CPP_MIN_LOG_LEVEL=2 "$venv/bin/python" -c "import $name" >>"$log" 2>&1; then
        say "$name is installed but cannot be imported; the last lines of $log are:"
        tail -n 3 "$log" >&2
        return 1
    fi
    fingerprint "$name" >"$stamp"
}

mkdir -p build
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    if ! python3 -m venv "$venv" >"$log" 2>&1; then
        say "could not make a virtual environment (is python3-venv installed?); see $log"
        exit 1
    fi
fi

usable=()
for name in gpflow gpytorch; do
    provide "$name" && usable+=("$name")
done
if [ ${#usable[@]} -eq 0 ]; then
    say "no library to compare with could be installed"
    exit 1
fi
say "ready: ${usable[*]}"
