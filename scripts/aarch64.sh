#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles for aarch64, runs the tests of the library under qemu, and compares what tests/project/fingerprint.c
# prints there with what it prints here.
#
# usage: aarch64.sh [TEST...]    the library's own tests but the longest unless some are named
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh aarch64
build=build/aarch64
[ -e $build/build.ninja ] || meson setup $build --cross-file scripts/aarch64.ini >build/aarch64.log ||
    { cat build/aarch64.log; exit 1; }
tests=("$@")
# Left out: what counts allocations or starts programs, which qemu does in its own way, and what takes it an hour.
[ ${#tests[@]} -gt 0 ] ||
    tests=(base_pool math_linalg math_random math_special data_scaling population_population likelihood_limits
        likelihood_alpha model_options model_limits model_file train_schedule train_step api_refusals)
targets=("${tests[@]/#/tests/test_}")
ninja -C $build tests/fingerprint "${targets[@]}" >build/aarch64.log || { tail -n 30 build/aarch64.log; exit 1; }
ninja -C build/release tests/fingerprint >>build/aarch64.log || { tail -n 30 build/aarch64.log; exit 1; }

failed=0
for test in "${tests[@]}"; do
    if qemu-aarch64 $build/tests/test_"$test" >build/aarch64-test.log 2>&1; then
        echo "ok $test"
    else
        cat build/aarch64-test.log
        echo "FAILED $test"
        failed=1
    fi
done
build/release/tests/fingerprint >build/fingerprint-here.txt
qemu-aarch64 $build/tests/fingerprint >build/fingerprint-aarch64.txt
python3 tests/project/compare_fingerprints.py build/fingerprint-here.txt build/fingerprint-aarch64.txt
exit $failed
