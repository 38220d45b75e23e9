#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Combines page.html, page.css and the scripts, and writes them as two C arrays: the page before and after the data.

usage: embed.py OUTPUT_H PAGE_HTML PAGE_CSS SCRIPT_JS...

The policy in the page allows its own script and style by their SHA-256, and nothing else.
"""
import base64
import hashlib
import sys


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, text):
    data = text.encode()
    lines = [",".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"static const char {name}[{len(data)}] = {{\n" + ",\n".join(
        ",".join(f"(char){b}" if int(b) > 127 else b for b in line.split(",")) for line in lines) + "\n};\n"


def main():
    output, *sources = sys.argv[1:]
    html, css, *scripts = (open(path, encoding="utf-8").read() for path in sources)
    js = '"use strict";\n(function () {\n' + "\n".join(scripts) + "})();\n"
    if "</style" in css or "</script" in js or "<!--" in js:
        sys.exit("embed.py: page.css or a script would end its own element")
    for mark, text in (("@STYLE_HASH@", digest(css)), ("@SCRIPT_HASH@", digest(js)), ("@STYLE@", css),
                       ("@SCRIPT@", js)):
        if html.count(mark) != 1:
            sys.exit(f"embed.py: {mark} must stand once in page.html")
        html = html.replace(mark, text)
    head, _, tail = html.partition("@DATA@")
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* Made by report/embed.py. */\n")
        out.write(array("page_head", head) + array("page_tail", tail))


if __name__ == "__main__":
    main()
