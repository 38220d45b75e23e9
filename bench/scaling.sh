#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The measurements of docs/scaling.md: a step for different numbers of rows, inducing inputs, attributes and classes,
# then with one, two and four processes (if MPI is installed).
#
# usage: scaling.sh [MOST_ROWS]
set -euo pipefail
cd "$(dirname "$0")/.."

bench=build/release/bench
"$bench/bench_scaling" "$@"
if [ ! -x "$bench/bench_ranks" ] || ! command -v mpirun >/dev/null; then
    echo "scaling: no MPI: one process only" >&2
    exit 0
fi
for shape in "200 3 100 6" "2000 3 100 6" "200 10 100 784"; do
    for processes in 1 2 4; do
        printf '\nB, C, M, d = %s; %s processes\n' "$shape" "$processes"
        # shellcheck disable=SC2086
        OMPI_MCA_mpi_yield_when_idle=1 mpirun --allow-run-as-root --oversubscribe --quiet -n "$processes" \
            "$bench/bench_ranks" $shape 5
    done
done
