#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the tree as committed into build/deb, installs them into a directory of their own and
# compiles the C session against what libnimgp-dev has there.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh deb
rm -rf build/deb
mkdir -p build/deb/nimgp
git archive HEAD | tar -x -C build/deb/nimgp
(cd build/deb/nimgp && dpkg-buildpackage -b -us -uc) >build/deb.log 2>&1 || {
    tail -n 30 build/deb.log >&2
    exit 1
}

root=$PWD/build/deb/root
for package in build/deb/*.deb; do
    case $package in *-dbgsym_*) continue ;; esac
    dpkg-deb -x "$package" "$root"
    echo "deb: $(basename "$package")"
done
library=$(dirname "$(find "$root" -name libnimgp.so)")
export LD_LIBRARY_PATH=$library PKG_CONFIG_LIBDIR=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
# shellcheck disable=SC2046
cc -std=c17 -O2 examples/session.c $(pkg-config --cflags --libs nimgp) -o build/deb/session
build/deb/session
"$root/usr/bin/nimgp" --version
