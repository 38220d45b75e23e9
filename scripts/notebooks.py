#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs notebooks without Jupyter, and makes pages of them.

    notebooks.py run [--short] [--keep] [--programs DIR] [--cache DIR] FILE...
    notebooks.py page FILE

`run` executes the cells of each notebook in a process and a directory of their own; cells that start with %%bash run in a shell,
with DIR first in PATH, and %%writefile writes a file. --short replaces lines that end in a comment "# short: LINE", so that tests
take seconds. --keep writes the outputs into the notebook. --cache is a directory of tables that are not downloaded then.
`page` prints a notebook as Markdown; its pictures are written beside it, to FILE.N.png.
"""

import argparse
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

SHORT = re.compile(r"^( *).*  # short: (.*)$", re.MULTILINE)
BARS = re.compile(r"[^\n]*\r[^\n]*\n?")  # of progress
PICTURE = {"dpi": 70, "bbox_inches": "tight"}


def shortened(source):
    """`rows = 2000  # short: rows = 100` becomes `rows = 100`."""
    return SHORT.sub(r"\1\2", source)


# ---------------------------------------------------------------------- in the process of a notebook


def shell(source, say):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", source], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    say(done.stdout)
    if done.returncode:
        raise RuntimeError(f"the shell returned {done.returncode}:\n{done.stdout}")


def pictures():
    """The figures that a cell has drawn, as PNG in base64."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    plt = sys.modules["matplotlib.pyplot"]
    for number in plt.get_fignums():
        file = io.BytesIO()
        plt.figure(number).savefig(file, format="png", **PICTURE)
        yield base64.b64encode(file.getvalue()).decode()
    plt.close("all")


def python(source, names, outputs):
    """Runs a cell; the value of its last expression is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None and not source.rstrip().endswith(";"):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        elif last is not None:
            eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    text = BARS.sub("", said.getvalue())
    if text:
        outputs.append(stream(text))
    shown = list(pictures())
    if value is not None and not shown:
        outputs.append({"output_type": "execute_result", "metadata": {}, "execution_count": None,
                        "data": {"text/plain": lines_of(repr(value))}})  # fmt: skip
    for picture in shown:
        outputs.append({"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}})


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": lines_of(text)}


def lines_of(text):
    return text.splitlines(keepends=True)


def run_cells(cells, short):
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        source, outputs = "".join(cell["source"]), []
        source = shortened(source) if short else source
        try:
            first, _, rest = source.partition("\n")
            if first.startswith("%%bash"):
                shell(rest, lambda text, outputs=outputs: outputs.append(stream(text)) if text else None)
            elif first.startswith("%%writefile"):
                pathlib.Path(first.split()[1]).write_text(rest)
            else:
                python(source, names, outputs)
        except BaseException:
            sys.exit(f"cell {number}:\n{source}\n{traceback.format_exc()}")
        cell["outputs"], cell["execution_count"] = outputs, None
    return cells


# ---------------------------------------------------------------------- around it


def run(file, short, keep, programs, cache):
    notebook = json.loads(file.read_text())
    environment = os.environ | {"MPLBACKEND": "Agg"}
    if programs:
        built = programs.resolve().parent
        environment |= {"PATH": f"{programs.resolve()}{os.pathsep}{os.environ['PATH']}",
                        "LD_LIBRARY_PATH": str(built), "PKG_CONFIG_PATH": str(built / "meson-uninstalled")}  # fmt: skip
    if cache:
        environment["XDG_CACHE_HOME"] = str(cache.resolve())
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([sys.executable, __file__, "cells", *(["--short"] if short else [])], cwd=place,
                              env=environment, input=json.dumps(notebook["cells"]), text=True, stdout=subprocess.PIPE)  # fmt: skip
    if done.returncode:
        sys.exit(f"{file}: failed")
    if keep:
        notebook["cells"] = json.loads(done.stdout)
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def page(file):
    """The notebook as Markdown."""
    out, drawn = [], 0
    for cell in json.loads(file.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out.append(source)
            continue
        first, _, rest = source.partition("\n")
        source = re.sub(r"  # short: .*", "", source)
        fence = "sh" if first.startswith("%%bash") else "c" if first.endswith(".c") else "python"
        out.append(f"```{fence}\n{rest if first.startswith('%%') else source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                drawn += 1
                picture = file.with_name(f"{file.stem}.{drawn}.png")
                picture.write_bytes(base64.b64decode(data["image/png"]))
                out.append(f"![Picture {drawn}]({picture.name})")
            else:
                text = "".join(output.get("text") or data.get("text/plain", []))
                out.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "page", "cells"])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path, nargs="*")
    chosen = parser.parse_intermixed_args()
    if chosen.what == "cells":
        wanted = sys.stdout
        with contextlib.redirect_stdout(sys.stderr):
            cells = run_cells(json.load(sys.stdin), chosen.short)
        json.dump(cells, wanted)
    for file in chosen.file:
        if chosen.what == "run":
            run(file, chosen.short, chosen.keep, chosen.programs, chosen.cache)
        else:
            print(page(file), end="")


if __name__ == "__main__":
    main()
