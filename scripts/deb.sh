#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the last commit in build/deb, checks that apt could install them, and unpacks them into a
# separate directory. There it compiles the C program of docs/c-api.md against libnimgp-dev, and fits a model with the
# program and with python3-nimgp.
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
packages=()
for package in build/deb/*.deb; do
    case $package in *-dbgsym_*) continue ;; esac
    dpkg-deb -x "$package" "$root"
    echo "deb: $(basename "$package")"
    packages+=("./$package")
done
apt-get --simulate --no-install-recommends install "${packages[@]}" >build/deb-install.log || {
    cat build/deb-install.log >&2
    exit 1
}
library=$(dirname "$(find "$root" -name libnimgp.so)")
export LD_LIBRARY_PATH=$library PKG_CONFIG_LIBDIR=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
# shellcheck disable=SC2046
cc -std=c17 -O2 examples/session.c $(pkg-config --cflags --libs nimgp) -o build/deb/session
build/deb/session
"$root/usr/bin/nimgp" --version
"$root/usr/bin/nimgp" simulate toy --out build/deb/toy --quiet
"$root/usr/bin/nimgp" fit build/deb/toy/train.csv -o build/deb/toy.nimgp --epochs 2 --quiet

# scikit-learn comes from pip: that of Debian 12 is too old. The package must find its own library.
scripts/tool-env.sh deb
PYTHONPATH=$root/usr/lib/python3/dist-packages build/deb-venv/bin/python - build/deb/toy.nimgp <<'END'
import sys
import nimgp
assert "build/deb/root" in nimgp.__file__, nimgp.__file__
model = nimgp.load(sys.argv[1])
print("deb: python3-nimgp:", model.predict_proba([[0.5]], X_err=0.1).round(3).tolist())
END
