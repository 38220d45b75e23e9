#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy with the checks of .clang-tidy on the library, the tables and the program, or on the given files.
#
# usage: tidy.sh [FILE...]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh tidy
[ -e build/tidy/build.ninja ] || CC=clang meson setup build/tidy -Dtests=false >/dev/null
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.c' 'table/*.c' 'measure/*.c' 'score/*.c' 'report/*.c' 'cli/*.c' 'generate/*.c')
# One file at a time: in the second and later files of a run clang-tidy 14 takes every va_list for uninitialised.
ninja -C build/tidy report/report_page_parts.h >/dev/null
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P 2 clang-tidy --quiet -p build/tidy 2>build/tidy.log ||
    { echo "tidy: see above" >&2; exit 1; }
echo "tidy: ${#files[@]} files, nothing found"
