#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles for aarch64, runs tests of the library under qemu, and compares what tests/project/fingerprint.c
# prints there with what it prints here.
#
# usage: aarch64.sh [TEST...]    the default is the list below
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh aarch64
build=build/aarch64 root=$PWD/build/aarch64-root
mkdir -p build

# The libraries of that architecture are unpacked into a separate directory and not installed.
if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
    apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$root/apt"
        -o Dir::State::Lists="$root/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$root/apt/cache"
        -o APT::Sandbox::User="")
    "${apt[@]}" update
    (cd "$root/apt" && "${apt[@]}" download libcmocka0 libcmocka-dev zlib1g zlib1g-dev libexpat1
        libexpat1-dev libyaml-0-2 libyaml-dev libcfitsio10 libcfitsio-dev)
    for package in "$root"/apt/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    touch "$root/complete"
fi
libraries=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
cat >build/aarch64.ini <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', '-E', 'LD_LIBRARY_PATH=$libraries']

[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/aarch64-linux-gnu/pkgconfig'

[built-in options]
c_link_args = ['-Wl,-rpath-link,$libraries']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
[ -e $build/build.ninja ] || meson setup $build --cross-file build/aarch64.ini >build/aarch64.log ||
    { cat build/aarch64.log; exit 1; }

tests=("$@")
# Left out: tests that count allocations, which differ under qemu, and tests that take an hour under qemu.
[ ${#tests[@]} -gt 0 ] ||
    tests=(base_pool math_linalg math_random math_special data_scaling population_population likelihood_limits
        likelihood_alpha model_options model_limits model_file train_schedule train_step api_refusals)
ninja -C $build tests/fingerprint "${tests[@]/#/tests/test_}" >build/aarch64.log ||
    { tail -n 30 build/aarch64.log; exit 1; }
ninja -C build/release tests/fingerprint >>build/aarch64.log || { tail -n 30 build/aarch64.log; exit 1; }

run() { qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries" "$@"; }
failed=0
for test in "${tests[@]}"; do
    if run $build/tests/test_"$test" >build/aarch64-test.log 2>&1; then
        echo "ok $test"
    else
        cat build/aarch64-test.log
        echo "FAILED $test"
        failed=1
    fi
done
build/release/tests/fingerprint >build/fingerprint-here.txt
run $build/tests/fingerprint >build/fingerprint-aarch64.txt
python3 tests/project/compare_fingerprints.py build/fingerprint-here.txt build/fingerprint-aarch64.txt
exit $failed
