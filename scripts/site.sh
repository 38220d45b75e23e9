#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site, build/site/index.html, from the Markdown and the notebooks of this tree, the header and
# the docstrings. A broken link fails, and so does a page that the navigation does not reach.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh python
scripts/tool-env.sh site
# mkdocs needs all pages in one directory: the tracked pages at their present paths, and the files they link to.
source=build/site-source
rm -rf $source
mkdir -p $source
git ls-files -z -- '*.md' docs LICENSE CITATION.cff include examples | grep -zvE '^(tests|packaging)/' |
    xargs -0 cp --parents -t $source
scripts/files.py >$source/docs/files.md
scripts/header_page.py include/nimgp.h >$source/docs/api/c.md
for notebook in "$source"/docs/tutorials/*.ipynb; do
    scripts/notebooks.py page "$notebook" >"${notebook%.ipynb}.md"
done
sed -i 's/\.ipynb)/.md)/' $source/docs/tutorials/README.md
# mkdocstrings imports the package.
packages=$(build/python-venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
PYTHONPATH=$packages build/site-venv/bin/mkdocs build --strict --quiet --config-file mkdocs.yml
echo "site: build/site/index.html"
