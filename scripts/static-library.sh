#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a static library of one object whose only global symbols are nim_*, so that internal names cannot clash with
# those of a program.
# usage: static-library.sh OUTPUT OBJCOPY AR ARCHIVE... -- COMPILER...
set -eu
output=$1 objcopy=$2 ar=$3
shift 3
archives=
while [ "$1" != -- ]; do
    archives="$archives $1"
    shift
done
shift
object=$output.p/nimgp.o
mkdir -p "$output.p"
rm -f "$output"
# shellcheck disable=SC2086
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive $archives
"$objcopy" --wildcard --keep-global-symbol='nim_*' "$object"
"$ar" rcsD "$output" "$object"
