#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site, build/site/index.html, from the Markdown of this tree; a broken link fails.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh python
scripts/tool-env.sh site
# mkdocs needs all pages in one directory: the tracked pages at their present paths, and the files they link to.
source=build/site-source
rm -rf $source
mkdir -p $source
git ls-files -z -- '*.md' docs LICENSE CITATION.cff include examples | grep -zv '^tests/' |
    xargs -0 cp --parents -t $source
scripts/files.py >$source/docs/files.md
build/site-venv/bin/mkdocs build --strict --quiet --config-file mkdocs.yml
echo "site: build/site/index.html"
