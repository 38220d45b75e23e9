#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that building and testing need on Debian 12, if they are missing.
set -uo pipefail

packages=(gcc libc6-dev libgcc-12-dev meson ninja-build pkgconf libcmocka-dev clang-format
    mandoc zlib1g-dev libexpat1-dev libyaml-dev libcfitsio-dev)
[ "${1:-}" = bench ] && packages+=(libopenblas-openmp-dev)
[ "${1:-}" = python ] && packages+=(python3-venv)
[ "${1:-}" = fuzz ] && packages+=(clang libclang-rt-14-dev llvm)
[ "${1:-}" = coverage ] && packages+=(gcovr)
[ "${1:-}" = browser ] && packages=(chromium)
[ "${1:-}" = mpi ] && packages=(libopenmpi-dev openmpi-bin)
[ "${1:-}" = deb ] && packages+=(dpkg-dev debhelper dh-python fakeroot python3-venv)
[ "${1:-}" = abi ] && packages+=(abigail-tools)
[ "${1:-}" = tidy ] && packages+=(clang clang-tidy)
[ "${1:-}" = aarch64 ] && packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
[ "${1:-}" = engines ] && packages+=(python3-venv default-jre-headless)
[ "${1:-}" = peers ] && packages+=(python3-venv python3-dev g++)

missing=()
for package in "${packages[@]}"; do
    # Prints one line for each architecture.
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
        missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null; then
    as_root=(sudo)
else
    echo "setup: not root and no sudo; please install: ${missing[*]}" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
echo "setup: installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq ||
    echo "setup: could not refresh the package lists; trying with the old lists" >&2
if ! "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    for package in "${missing[@]}"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "setup: could not install $package" >&2
    done
    exit 1
fi
