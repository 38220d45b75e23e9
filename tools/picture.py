#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a picture of a report page, or of some of its parts, for the documentation.

usage: picture.py REPORT.html OUTPUT.png [PART...]

PART is the id of a section or a figure: how-good, learned, confusion, map, ... Needs playwright and chromium:
`make python` and `scripts/setup.sh browser` install them.
"""
import io
import pathlib
import shutil
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH, GAP = 1120, 24


def shots(path, parts):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if not chromium:
        sys.exit("picture.py: chromium is not there; scripts/setup.sh browser installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto(pathlib.Path(path).resolve().as_uri())
        page.evaluate("document.querySelectorAll('.tools').forEach((e) => { e.hidden = true; e.style.display = 'none'; })")
        made = [page.locator("#" + part).screenshot() for part in parts] or [page.screenshot(full_page=True)]
        browser.close()
    return [Image.open(io.BytesIO(shot)).convert("RGB") for shot in made]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    images = shots(sys.argv[1], sys.argv[3:])
    width = max(image.width for image in images)
    height = sum(image.height for image in images) + GAP * (len(images) - 1)
    whole, top = Image.new("RGB", (width, height), "#fbfbfa"), 0
    for image in images:
        whole.paste(image, (0, top))
        top += image.height + GAP
    whole.save(sys.argv[2], optimize=True)


if __name__ == "__main__":
    main()
