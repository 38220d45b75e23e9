#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks for races with ThreadSanitizer: the pool's own tests, and the program with four threads through
# training (each input model, populations, calibration), prediction, evaluation and suggestions.
#
# usage: tsan.sh [short|long]    `short` runs the tests of the pool and of handles used at the same time only; it
#                                builds without optimisation, because compiling takes longer than running.
#                                `long` also runs the tests of determinism and the Python package in threads, which
#                                takes minutes.
set -uo pipefail
cd "$(dirname "$0")/.."

length=${1:-usual}
build=build/tsan optimisation=1
[ "$length" = short ] && build=build/tsan-short optimisation=0
[ -e $build/build.ninja ] ||
    meson setup $build --buildtype=plain -Doptimization=$optimisation -Dc_args=-g1 -Db_sanitize=thread \
        -Db_lundef=false >/dev/null || exit 1
tests=(tests/test_base_pool tests/test_api_races)
program=(cli/nimgp)
[ "$length" = short ] && program=()
[ "$length" = long ] && tests+=(tests/test_api_determinism tests/test_train_step tests/test_predict_predict)
ninja -C $build "${tests[@]}" "${program[@]}" >build/tsan.log || { cat build/tsan.log; exit 1; }

export TSAN_OPTIONS=halt_on_error=1:exitcode=66:second_deadlock_stack=1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
nimgp=$PWD/$build/cli/nimgp
runs=0

run() {
    runs=$((runs + 1))
    "$@" >"$place/said" 2>&1 && return
    echo "tsan: failed: ${*//$place\//}" >&2
    cat "$place/said" >&2
    exit 1
}

# The Python package with an instrumented library. The interpreter is not instrumented, but its locks are pthread's.
run_python() {
    local python=${PYTHON:-$PWD/build/python-venv/bin/python} package=$place/package
    if [ ! -x "$python" ]; then
        echo "tsan: SKIPPED: the Python package (make python builds its environment)"
        return
    fi
    [ -e build/tsan-python/build.ninja ] ||
        meson setup build/tsan-python -Dpython=true --buildtype=plain -Doptimization=0 -Dc_args=-g1 \
            -Db_sanitize=thread -Db_lundef=false >/dev/null || exit 1
    ninja -C build/tsan-python >build/tsan.log || { cat build/tsan.log; exit 1; }
    mkdir -p "$package"
    cp -r python/nimgp "$package"
    cp build/tsan-python/python/libnimgp-core.so "$package/nimgp"
    run env LD_PRELOAD="$(cc -print-file-name=libtsan.so)" PYTHONPATH="$package" OMP_NUM_THREADS=1 \
        "$python" tests/fault/check_python_races.py
}

for test in "${tests[@]}"; do
    run "$build/$test"
done
if [ "$length" = short ]; then
    echo "tsan: $runs runs, no report"
    exit 0
fi
run "$nimgp" simulate synthetic -o "$place" --rows 60 --test-rows 20 --seed 1
quick=(--epochs 2 --stop fixed --inducing 8 --threads 4 -q)
for input in marginal latent amortised first_order exact augmented resampled narrow; do
    run "$nimgp" fit "$place/train.csv" -o "$place/$input" --input $input --calibrate none "${quick[@]}"
    run "$nimgp" predict "$place/$input" "$place/test.csv" -o "$place/p.csv" --threads 4 -q
done
run "$nimgp" fit "$place/train.csv" -o "$place/calibrated" --population mixture "${quick[@]}"
run "$nimgp" fit "$place/train.csv" -o "$place/validated" --validation 0.2 --checkpoint "$place/ck" --every 1 \
    --progress json --noise both --calibrate none "${quick[@]}"
run "$nimgp" fit "$place/train.csv" -o "$place/resumed" --resume "$place/ck" -q --threads 3
run "$nimgp" suggest "$place/calibrated" "$place/test.csv" --remeasure --threads 4
run "$nimgp" evaluate "$place/calibrated" "$place/test.csv" --threads 4
[ "$length" = long ] && run_python
echo "tsan: $runs runs, no report"
