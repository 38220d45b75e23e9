#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the library's binary interface with tests/project/libnimgp.abi, that of the last version. A change that
# breaks programs compiled before fails. What is only added does not.
#
# usage: abi.sh [keep]    `keep` writes the interface as it is now to that file
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh abi
build=build/abi
[ -e $build/build.ninja ] || meson setup $build --buildtype=debug -Dtests=false >/dev/null
ninja -C $build libnimgp.so.0.1.0 >build/abi.log || { cat build/abi.log; exit 1; }
baseline=tests/project/libnimgp.abi
if [ "${1:-}" = keep ]; then
    abidw --headers-dir include --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
        --out-file $baseline $build/libnimgp.so
    echo "abi: $baseline written"
    exit 0
fi
status=0
abidiff --headers-dir2 include --drop-private-types $baseline $build/libnimgp.so || status=$?
# The bits of the status: 1 and 2 an error, 4 a change, 8 a change that breaks programs.
if [ $((status & 11)) -ne 0 ]; then
    echo "abi: the interface is not what programs compiled before expect" >&2
    exit 1
fi
echo "abi: programs compiled before still run"
