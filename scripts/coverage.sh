#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures which lines the tests execute. Builds with counters, runs the tests, makes calls fail one by one (every fifth
# allocation; make check-trust has all of them), and writes build/coverage.txt (one line per file, with the lines not
# reached) and build/coverage/html/index.html. Prints the shares of src/, table/ and cli/.
#
# usage: coverage.sh [TEST...]    the default is the tests of the release build, except long ones that execute no
#                                 additional lines
set -uo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh coverage || exit 1
build=build/coverage
[ -e $build/build.ninja ] ||
    meson setup $build --buildtype=plain -Doptimization=1 -Dc_args=-g1 -Db_coverage=true >/dev/null || exit 1
ninja -C $build meson-test-prereq >build/coverage.log || { cat build/coverage.log; exit 1; }
find $build -name '*.gcda' -delete

again='model_gradient|likelihood_draws|api_determinism|generate|generate_catalogue|cli_large|faults|kills'
again="$again|table_.*_portable|layers|symbols|install|other_header"
tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
    mapfile -t tests < <(meson test -C $build --no-rebuild --list 2>/dev/null | grep -vxE "$again")
fi
NIMGP_FEWER_ROWS=1 meson test -C $build --no-rebuild --print-errorlogs -t 0 "${tests[@]}" || exit 1
if [ $# -eq 0 ]; then
    $build/tests/api_faults 5 >>build/coverage.log || exit 1
    NIMGP_FAULT_UNTIL_EXIT=1 PYTHONPATH=tests/support python3 tests/fault/check_faults.py --every 5 \
        $build/cli/nimgp $build/tests/fault.so >>build/coverage.log || { tail -n 40 build/coverage.log; exit 1; }
fi

# Some sources are compiled a second time for another processor. gcovr cannot add up their functions, whose lines differ.
report=(gcovr -r . --object-directory $build --exclude-directories '.*_portable\.p' $build)
mkdir -p $build/html
"${report[@]}" -f src/ -f table/ -f cli/ --html-details $build/html/index.html --txt build/coverage.txt || exit 1
for room in src table cli; do
    share=$("${report[@]}" -f "$room/" --print-summary 2>/dev/null | sed -n 's/^lines: //p')
    echo "$room: $share"
done
