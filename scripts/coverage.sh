#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which lines the tests reach: builds with counters, runs the tests, and writes build/coverage.txt (one line a
# file, with the lines not reached) and build/coverage/html/index.html. Says the shares of src/, table/ and cli/.
#
# usage: coverage.sh [TEST...]    all tests of the release build unless some are named
set -uo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh coverage || exit 1
build=build/coverage
[ -e $build/build.ninja ] ||
    meson setup $build --buildtype=plain -Doptimization=1 -Dc_args=-g1 -Db_coverage=true >/dev/null || exit 1
ninja -C $build meson-test-prereq >build/coverage.log || { cat build/coverage.log; exit 1; }
find $build -name '*.gcda' -delete
NIMGP_FEWER_ROWS=1 meson test -C $build --no-rebuild --print-errorlogs -t 5 "$@" || exit 1

report=(gcovr -r . --object-directory $build --exclude-unreachable-branches --exclude-throw-branches)
mkdir -p $build/html
"${report[@]}" -f src/ -f table/ -f cli/ --html-details $build/html/index.html --txt build/coverage.txt || exit 1
for room in src table cli; do
    share=$("${report[@]}" -f "$room/" --print-summary 2>/dev/null | sed -n 's/^lines: //p')
    echo "$room: $share"
done
