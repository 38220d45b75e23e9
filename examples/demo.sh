#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A complete example with a simulated problem whose best possible predictions are known: simulates rows
# with error bars, fits each input model, evaluates it, and lists rows that are worth a label.
#
#     demo.sh NIMGP       the program to use
set -euo pipefail

nimgp=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# Member $1 of the JSON object on standard input: its value, then its standard error.
member() {
    sed -n "s/.*\"$1\": {\"value\": \([^,]*\), \"standard_error\": \([^}]*\)}.*/\1 \2/p"
}

# Prints a line of the table: a name, then the arguments of evaluate.
rate() {
    local result
    result=$("$nimgp" evaluate --json --quiet "${@:2}" "$place/test.csv")
    printf '%s %s %s %s\n' "$1" "$(member nll <<<"$result")" "$(member error <<<"$result")" \
        "$(member ece <<<"$result")" |
        awk '{ printf "  %-14s %6.3f +- %.3f %8.1f +- %.1f %% %9.3f\n", $1, $2, $3,
               100 * $4, 100 * $5, $6 }'
}

echo '$ nimgp simulate toy --out demo --rows 500 --test-rows 2000'
"$nimgp" simulate toy --out "$place" --rows 500 --test-rows 2000 --quiet
head -3 "$place/train.csv"

echo
echo '$ nimgp fit demo/train.csv -o MODEL --input ...    and    nimgp evaluate MODEL demo/test.csv'
echo '  input          NLL               wrong              calibration error'
for input in exact first-order amortised latent marginal; do
    "$nimgp" fit "$place/train.csv" -o "$place/$input.nimgp" --input "$input" --quiet
    rate "$input" "$place/$input.nimgp"
done
rate best-possible --probabilities "$place/bayes.csv"

echo
echo '$ nimgp suggest MODEL demo/test.csv -n 3 --remeasure'
"$nimgp" suggest "$place/marginal.nimgp" "$place/test.csv" -n 3 --remeasure --quiet
