#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library and the static one show what nimgp.h declares, all of it nim_ by name, and nothing else: any other
# symbol could be taken over by a program that happens to use the name.
# usage: check_symbols.sh LIBRARY HEADER [STATIC]
set -eu
library=$1
header=$2
command -v nm >/dev/null || { echo "nm is not installed"; exit 77; }

# Undecorated names; what a sanitizer's compiler adds to every library is not ours to judge.
# The version itself is an absolute symbol (A).
shown=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $NF); print $NF }' |
        grep -v -E '^__(odr_)?(asan|ubsan|tsan|sanitizer)' | sort -u)

# Declarations end with a semicolon, may span lines, and start with NIM_API.
declared=$(sed -e '/^#/d' -e 's,/\*.*\*/,,' "$header" | tr '\n' ' ' | tr ';' '\n' |
           sed -n 's/.*NIM_API[^(]*[ *]\(nim_[a-z0-9_]*\)(.*/\1/p' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 20 ] || { echo "too few declarations in $header"; exit 1; }

bad=0
if [ $# -gt 2 ]; then
    inside=$(nm -g --defined-only "$3" | awk 'NF == 3 { print $3 }' | sort -u)
    [ "$inside" = "$shown" ] || { echo "the static library shows:"; echo "$inside" | grep -v '^nim_'; bad=1; }
fi
for symbol in $shown; do
    echo "$declared" | grep -q -x "$symbol" ||
        { echo "$symbol is shown, but $header does not declare it"; bad=1; }
done
for symbol in $declared; do
    echo "$shown" | grep -q -x "$symbol" ||
        { echo "$symbol is declared, but the library does not have it"; bad=1; }
done
[ $bad -eq 0 ] && echo "$(echo "$declared" | wc -l) functions, no more and no less"
exit $bad
