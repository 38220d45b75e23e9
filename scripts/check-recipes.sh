#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the recipes of packages without building them: pyproject.toml, the wheels that the release workflow makes, the
# conda recipe; and that all name the version of meson.build.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/tool-env.sh recipes
bin=build/recipes-venv/bin
version=$(sed -n "s/^  version : '\(.*\)',/\1/p" meson.build)
$bin/validate-pyproject pyproject.toml
echo "wheels: $($bin/cibuildwheel --print-build-identifiers --platform linux . | tr '\n' ' ')"
$bin/python - packaging/conda/recipe.yaml <<'END'
import sys
import rattler_build

recipe = rattler_build.Stage0Recipe.from_yaml(open(sys.argv[1]).read())
variants = rattler_build.VariantConfig.from_yaml("c_compiler: [gcc]\nc_compiler_version: ['14']\n")
for package in recipe.render(variants):
    print(f"conda: {package.recipe.package.name}")
END
for file in include/nimgp.h CITATION.cff packaging/conda/recipe.yaml debian/changelog; do
    grep -qF "$version" $file || { echo "check-recipes: $file does not name version $version" >&2; exit 1; }
done
