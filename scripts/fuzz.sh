#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets with libFuzzer under the address and undefined-behaviour sanitizers, one after the
# other, from the committed corpus. Inputs that reach new code are kept in build/fuzz-corpus for the next run. Inputs
# that fail are written to build/fuzz-findings; when the bug is fixed, add them to tests/fuzz/corpus.
#
# usage: fuzz.sh [SECONDS [TARGET...]]    each target runs for SECONDS (default 60) or 10^7 executions (the environment
#                                         variable RUNS sets another number); default: all targets
#        fuzz.sh keep [TARGET...]         adds inputs that reach new code to the committed corpus
set -uo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in tests/fuzz/corpus/*/; do # a target is fuzz_NAME.c with a line in meson.build and a corpus
        targets+=("$(basename "$file")")
    done
fi

scripts/setup.sh fuzz || exit 1
mkdir -p build
# Comparisons of numbers are not traced: that took half of the time, most of it in loops over arrays. Comparisons of
# text (strcmp, memcmp) still are.
counters="-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp"
blocks="-DGEMM_HEIGHT=24 -DGEMM_DEPTH=24" # src/math/linalg.h
if [ ! -e build/fuzz/build.ninja ]; then
    CC=clang meson setup build/fuzz -Dfuzz=true --buildtype=plain -Doptimization=2 -Dwerror=false \
        -Db_sanitize=address,undefined -Db_lundef=false \
        -Dc_args="-g1 $counters $blocks -fno-sanitize-recover=undefined" >build/fuzz.log || {
        cat build/fuzz.log
        exit 1
    }
fi
names=("${targets[@]/#/tests/fuzz/fuzz_}")
ninja -C build/fuzz "${names[@]}" >build/fuzz.log || { cat build/fuzz.log; exit 1; }

if [ "$seconds" = keep ]; then
    for target in "${targets[@]}"; do
        chosen=$(mktemp -d)
        build/fuzz/tests/fuzz/fuzz_"$target" -set_cover_merge=1 -use_counters=0 "$chosen" \
            "tests/fuzz/corpus/$target" "build/fuzz-corpus/$target" >"build/fuzz-$target.log" 2>&1 || exit 1
        for file in "$chosen"/*; do
            [ -e "$file" ] || continue
            name=$(basename "$file")
            cp -n "$file" "tests/fuzz/corpus/$target/${name:0:12}"
        done
        rm -rf "$chosen"
        echo "$target: $(find "tests/fuzz/corpus/$target" -type f | wc -l) files"
    done
    exit 0
fi

# What makes runs of a target faster. Headers and options are short texts. Models are not guessed from comparisons of
# text (mutate_model.c changes their numbers), and to weigh inputs by rare features takes a fifth of their time.
flags_of() {
    case $1 in
    columns) echo -max_len=512 ;;
    options | where) echo -max_len=1024 ;;
    csv | ecsv) echo -max_len=2048 ;;
    model | checkpoint) echo -max_len=8192 -entropic=0 -use_memcmp=0 ;;
    *) echo -max_len=8192 ;;
    esac
}

# Short stack traces of allocations and a small quarantine that stays mapped make runs much faster.
memory=malloc_context_size=1:quarantine_size_mb=1:allocator_release_to_os_interval_ms=-1:max_malloc_fill_size=256
failed=()
TIMEFORMAT='%U %S'
for target in "${targets[@]}"; do
    corpus=build/fuzz-corpus/$target findings=build/fuzz-findings/$target
    mkdir -p "$corpus" "$findings"
    words=()
    [ -e "tests/fuzz/$target.dict" ] && words=("-dict=tests/fuzz/$target.dict")
    read -ra flags <<<"$(flags_of "$target")"
    { time ASAN_OPTIONS=$memory UBSAN_OPTIONS=print_stacktrace=1 \
        build/fuzz/tests/fuzz/fuzz_"$target" -max_total_time="$seconds" -runs="${RUNS:-10000000}" \
        -timeout=60 -rss_limit_mb=1500 "${flags[@]}" -print_final_stats=1 \
        -artifact_prefix="$findings/" "${words[@]}" "$corpus" "tests/fuzz/corpus/$target" \
        >"build/fuzz-$target.log" 2>&1; } 2>"build/fuzz-$target.time" || failed+=("$target")
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz-$target.log")
    reached=$(grep -o 'cov: [0-9]*' "build/fuzz-$target.log" | tail -n 1)
    rate=$(awk -v n="${executions:-0}" '{ printf "%.0f", n / ($1 + $2 + 0.001) }' "build/fuzz-$target.time")
    echo "$target: ${executions:-?} executions, $rate a second of processor time, ${reached:-?} edges"
done
if [ ${#failed[@]} -gt 0 ]; then
    for target in "${failed[@]}"; do
        echo "fuzz: $target failed; see build/fuzz-$target.log and build/fuzz-findings/$target" >&2
    done
    exit 1
fi
