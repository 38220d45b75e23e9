#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the library's binary interface with that of the last version, tests/project/libnimgp.abi. Fails if a change
# can break programs compiled against that version: removed or changed functions, structures of another size or order.
# New functions are allowed, and new members at the end of structures that may grow (libnimgp.abignore).
#
# usage: abi.sh [keep]    `keep` writes the present interface to that file
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh abi
build=build/abi
[ -e $build/build.ninja ] || meson setup $build --buildtype=debug -Dtests=false >/dev/null
library=$(ninja -C $build -t targets all | sed -n 's/^\(libnimgp\.so[.0-9]*\): c_LINKER$/\1/p')
ninja -C $build "$library" >build/abi.log || { cat build/abi.log; exit 1; }
describe() {
    abidw --exported-interfaces-only --headers-dir include --drop-private-types --no-corpus-path \
        --no-comp-dir-path --no-show-locs --out-file "$1" $build/libnimgp.so
}
baseline=tests/project/libnimgp.abi
if [ "${1:-}" = keep ]; then
    describe $baseline
    echo "abi: $baseline written"
    exit 0
fi
describe $build/now.abi
if ! abidiff --no-added-syms --suppressions tests/project/libnimgp.abignore $baseline $build/now.abi; then
    echo "abi: programs compiled before would not run; a new soversion, or \`scripts/abi.sh keep\` before a release" >&2
    exit 1
fi
echo "abi: programs compiled before still run"
