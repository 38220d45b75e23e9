#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model files of earlier versions (tests/golden) load, predict and go on as they did. usage: PROGRAM"""
import csv
import pathlib

from cli_check import check, main, near

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"

# A prediction is one evaluation of the same formula. A training that goes on has many steps, and
# another processor rounds differently in each. Averages over as many points as a row needs are taken in
# single precision (QUICK_FROM in src/predict/predictor.h).
PREDICTED, PREDICTED_IN_SINGLE, RESUMED = 1e-9, 1e-6, 1e-6


def compare(name, found, expected, tolerance):
    """Tables of the same columns and rows, with the same texts, and numbers near each other."""
    check(len(found) == len(expected) > 0, name, "has", len(found), "rows, not", len(expected))
    for row, (now, then) in enumerate(zip(found, expected)):
        check(list(now) == list(then), name, "has the columns", list(now))
        for column, text in then.items():
            try:
                same = near(float(now[column]), float(text), tolerance)
            except ValueError:
                same = now[column] == text
            check(same, name, "row", row, column, now[column], "was", text)


def old_models(nimgp):
    folders = sorted(path.parent for path in GOLDEN.glob("version-*/*/model.nimgp"))
    check(len(folders) >= 6, "the golden files are not there")
    unfinished = 0
    for folder in folders:
        name = f"{folder.parent.name}/{folder.name}"
        model = folder / "model.nimgp"
        before, told = model.read_bytes(), nimgp("inspect", model, "--json").json()
        options = told["options"]
        single = options["input"] == "marginal" and options["points"] == "0"
        tolerance = PREDICTED_IN_SINGLE if single else PREDICTED
        if told["under_way"]:
            nimgp("fit", folder / "train.csv", "-o", "finished", "--resume", model,
                  "--checkpoint", "checkpoint")
            model, tolerance, unfinished = "finished", RESUMED, unfinished + 1
        found = nimgp("predict", model, folder / "test.csv").rows()
        with open(folder / "predicted.csv", newline="") as file:
            compare(name, found, list(csv.DictReader(file)), tolerance)
        check((folder / "model.nimgp").read_bytes() == before, name, "was written to")
    check(unfinished >= 2, "too few golden files are trainings under way")


if __name__ == "__main__":
    main([old_models])
