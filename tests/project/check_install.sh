#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a temporary directory and uses what is there as a stranger would: the program, and the
# library through pkg-config, in C and in C++.
# usage: check_install.sh BUILD CONSUMER SANITIZER COMPILER...
set -eu
build=$1
consumer=$2
sanitizer=$3
shift 3

skip() { echo "skipped: $1"; exit 77; }
[ "$sanitizer" = none ] || skip "a library with $sanitizer needs its run-time in the program"
command -v pkg-config >/dev/null || skip "pkg-config is not installed"
command -v meson >/dev/null || skip "meson is not on the path"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$place/root" >"$place/log" 2>&1 ||
    { cat "$place/log"; exit 1; }

# The program finds its library without help; its man pages and completion came along.
program=$(find "$place/root" -path '*/bin/nimgp')
[ -n "$program" ] || { echo "no program was installed"; exit 1; }
(unset LD_LIBRARY_PATH; "$program" --version) || { echo "the installed program does not run"; exit 1; }
for page in nimgp $("$program" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/nimgp-\1/p'); do
    [ "$page" = nimgp-help ] || [ -n "$(find "$place/root" -path "*/man/man1/$page.1")" ] ||
        { echo "no man page $page.1 was installed"; exit 1; }
done
find "$place/root" -path '*/share/bash-completion/completions/nimgp' | grep -q . ||
    { echo "no completion was installed"; exit 1; }

description=$(find "$place/root" -name nimgp.pc)
[ -n "$description" ] || { echo "no nimgp.pc was installed"; exit 1; }
library=$(find "$place/root" -name 'libnimgp.so')
[ -n "$library" ] || { echo "no libnimgp.so was installed"; exit 1; }

# System directories are left out of the flags unless asked for, but ours lie below the new root.
export PKG_CONFIG_LIBDIR="$(dirname "$description")" PKG_CONFIG_SYSROOT_DIR="$place/root"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
flags=$(pkg-config --cflags nimgp)
links=$(pkg-config --libs nimgp)
export LD_LIBRARY_PATH="$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
version=$(pkg-config --modversion nimgp)

try() { # name, compiler and options...
    name=$1
    shift
    # Away from the sources, so that no other header can be found by accident.
    # shellcheck disable=SC2086
    (cd "$place" && "$@" -Wall -Wextra -Wpedantic -Werror $flags "$consumer" -o "$name" $links)
    ldd "$place/$name" | grep -q "$place/root.*libnimgp" ||
        ldd "$place/$name" | grep -q "libnimgp.*$place/root" ||
        { echo "$name does not use the installed library"; exit 1; }
    "$place/$name" "$version"
}

try c17 "$@" -std=c17
static=$(find "$place/root" -name libnimgp.a)
if [ -n "$static" ]; then
    # A program with functions that are called as ours are inside.
    echo 'int failure(void); int succeed(void); int failure(void) { return 1; } int succeed(void) { return 2; }' >"$place/own.c"
    # shellcheck disable=SC2086
    "$@" -std=c17 $flags "$consumer" "$place/own.c" -o "$place/static" "$static" \
        $(pkg-config --static --libs nimgp | tr ' ' '\n' | grep -v nimgp)
    "$place/static" "$version"
fi
for cplusplus in c++ g++ clang++; do
    if command -v $cplusplus >/dev/null; then
        try cplusplus $cplusplus -x c++ -std=c++17 -Wno-missing-field-initializers
        exit 0
    fi
done
echo "no C++ compiler: only C was tried"
