#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of README.md and docs/ with the commands given there.
#
#     pictures.sh NIMGP PYTHON [DIR]     the program, the environment's python, working directory (build/pictures)
set -euo pipefail
cd "$(dirname "$0")/.."

nimgp=$(realpath "$1") python=$2 place=${3:-build/pictures}
data=${NIMGP_DATA:-../shared/data}
mkdir -p "$place" docs/pictures

# Existing models are not fitted again.
fit() { [ -e "$place/$1" ] || (cd "$place" && "$nimgp" fit "${@:2}" -o "$1" --quiet); }
report() { (cd "$place" && "$nimgp" report "$1" "$2" -o "$3" --quiet); }

[ -e "$place/demo" ] || (cd "$place" && "$nimgp" simulate toy --out demo --rows 500 --test-rows 2000 --quiet)
[ -e "$place/sky" ] || (cd "$place" && "$nimgp" simulate catalogue --out sky --rows 1000 --test-rows 1000 --seed 1 --quiet)
[ -e "$place/sine" ] || (cd "$place" && "$nimgp" simulate sine --out sine --seed 1 --quiet)

fit demo.nimgp demo/train.csv
"$nimgp" predict "$place/demo.nimgp" "$place/demo/test.csv" -o "$place/demo/predicted.csv" --quiet
"$python" examples/bayes_picture.py "$place/demo/predicted.csv" "$place/demo/bayes.csv" docs/pictures/demo.png

fit sky.nimgp sky/train.csv --log auto --validation 0.1
report sky.nimgp sky/test.csv sky.html
"$python" tools/picture.py "$place/sky.html" docs/pictures/sky.png how-good
"$python" tools/picture.py "$place/sky.html" docs/pictures/sky-next.png entropy to-measure

fit sine.nimgp sine/train.csv --task regress
report sine.nimgp sine/test.csv sine.html
"$python" tools/picture.py "$place/sine.html" docs/pictures/sine.png how-good

"$python" examples/redshift_picture.py docs/pictures/redshifts.png

catalogue=$data/astro/gll_psc_v27.fit.gz
if [ ! -e "$catalogue" ]; then
    echo "pictures: NO DATA: $catalogue is not there; docs/pictures/4fgl.png stays as it is" >&2
    exit 0
fi
[ -e "$place/gll_psc_v27.fit.gz" ] || cp "$catalogue" "$place"
fit 4fgl.nimgp gll_psc_v27.fit.gz --label CLASS1 --classes bll,fsrq,psr --ignore-case \
    --features Flux1000,Signif_Avg,Pivot_Energy,LP_SigCurv,LP_Index,LP_beta --log auto --validation 0.2
report 4fgl.nimgp gll_psc_v27.fit.gz 4fgl.html
"$python" tools/picture.py "$place/4fgl.html" docs/pictures/4fgl.png map denoised
