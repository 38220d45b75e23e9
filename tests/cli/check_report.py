#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report: its numbers against evaluate, predict and suggest; its page as text. What a browser makes of
it, python/tests/test_report.py looks at. usage: PROGRAM [TEST...]"""
import html.parser
import json
import math
import random
import statistics

from cli_check import blobs, check, main, near

QUICK = ["--calibrate", "none", "--epochs", "20", "--stop", "fixed", "--inducing", "10", "--warm-up", "20",
         "--points", "32", "--threads", "1"]
PARTS = ("rows", "error", "nll", "brier", "ece", "expected_error", "shares", "ece_bins", "confusion", "reliability", "by_noise")


class Page(html.parser.HTMLParser):
    """What a parser of HTML finds: elements by name, and what stands in #data."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.policy, self.data, self.inside, self.links = {}, None, "", None, []
        self.feed(text)
        self.data = json.loads(self.data)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements[tag] = self.elements.get(tag, 0) + 1
        self.inside = attributes.get("id") if tag == "script" else None
        self.links += [attributes[key] for key in ("src", "href") if key in attributes]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside == "data":
            self.data += text


def page_of(nimgp, name="r.html"):
    return Page(nimgp.read(name).decode())


def setting(nimgp, rows=150):
    nimgp.write_rows("train.csv", *blobs(120))
    nimgp("fit", "train.csv", "-o", "m", *QUICK)
    head, table = blobs(rows, seed=2)
    for i in range(0, rows, 17):
        table[i][i % 4] = ""
    table = [[f"star {i}", *row] for i, row in enumerate(table)]
    nimgp.write_rows("test.csv", ["id", *head], table)
    return ["id", *head], table


def exchanged(nimgp):
    """An attribute that is noise tells nothing, the others something; the least and the most are far apart."""
    head, rows = blobs(400)
    rows = [[*row[:-1], f"{random.Random(i).gauss(0, 1):.4f}", row[-1]] for i, row in enumerate(rows)]
    nimgp.write_rows("t.csv", [*head[:-1], "useless", head[-1]], rows)
    nimgp("fit", "t.csv", "-o", "e", *QUICK)
    page = nimgp("report", "e", "t.csv", "--json").json()
    rise = {a["name"]: r for a, r in zip(page["attributes"], page["exchanged"], strict=True)}
    check(abs(rise["useless"][0]) < 3 * rise["useless"][1] + 0.02, rise)
    check(max(r[0] for r in rise.values()) > 10 * abs(rise["useless"][0]) and rise["x1"][0] > 0 < rise["x2"][0], rise)
    bare = nimgp("report", "e", nimgp.write_rows("bare.csv", head[:4] + ["useless"], [r[:5] for r in rows]), "--json").json()
    check(bare["exchanged"] == [])


def ranked(found, nimgp):
    """Areas under ROC curves by all pairs of rows; bins differ from them by the pairs they hold at most."""
    rows = nimgp("predict", "m", "test.csv", "--keep-only", "class").rows()
    for c, ranking in zip("abc", found, strict=True):
        own = [float(row["p_" + c]) for row in rows if row["class"] == c]
        others = [float(row["p_" + c]) for row in rows if row["class"] != c]
        won = sum((p > q) + 0.5 * (p == q) for p in own for q in others) / (len(own) * len(others))
        same = sum(a * b for a, b in zip(ranking["with"], ranking["without"], strict=True)) / (len(own) * len(others))
        check(abs(ranking["area"] - won) <= 0.5 * same + 1e-12, c, ranking["area"], won, same)
        check(sum(ranking["with"]) == len(own) and sum(ranking["without"]) == len(others))
        at = [b for b, (a, o) in enumerate(zip(ranking["with"], ranking["without"], strict=True)) if a + o]
        most = max(own + others)
        check(at[-1] == min(99, int((math.log(most / (1 - most)) / 10 + 1) * 50)), at[-1], most)


def same_as_evaluate(nimgp):
    """Every number of the page is that of evaluate --json; report, its JSON and evaluate --report agree."""
    setting(nimgp)
    evaluated = nimgp("evaluate", "m", "test.csv", "--json").json()
    nimgp("report", "m", "test.csv", "-o", "r.html", "--quiet")
    page = page_of(nimgp)
    check(set(PARTS) == set(page.data["evaluation"]), page.data["evaluation"].keys())
    for part in PARTS:
        check(page.data["evaluation"][part] == evaluated[part], part)
    check(page.data["left_out"] == evaluated["left_out"] and page.data["classes"] == evaluated["classes"])
    numbers = nimgp("report", "m", "test.csv", "--json").json()
    text = nimgp("evaluate", "m", "test.csv", "--report", "e.html", "--json")
    check(text.json() == evaluated)
    for other in (numbers, page_of(nimgp, "e.html").data):
        command = other["facts"].pop("command")
        check(command.startswith(("nimgp report m test.csv", "nimgp evaluate m test.csv")), command)
    page.data["facts"].pop("command")
    ranked(page.data["ranking"], nimgp)
    check(numbers == page.data and page_of(nimgp, "e.html").data["evaluation"] == page.data["evaluation"])
    # The same once more is the same bytes.
    first = nimgp.read("r.html")
    nimgp("report", "m", "test.csv", "-o", "r.html", "--quiet")
    check(nimgp.read("r.html") == first)


def same_as_predict(nimgp):
    """What it says of all rows follows from predict --parts."""
    setting(nimgp)
    rows = nimgp("predict", "m", "test.csv", "--parts").rows()
    found = nimgp("report", "m", "test.csv", "--json").json()
    p = [[float(row["p_" + c]) for c in "abc"] for row in rows]
    for c in range(3):
        check(near(found["predictions"]["expected"][c], sum(row[c] for row in p), 1e-9))
        check(found["predictions"]["predicted"][c] == sum(row.index(max(row)) == c for row in p))
    bins = [0] * 20
    for row in p:
        bins[min(19, int(max(row) * 20))] += 1
    check(found["predictions"]["confidence"] == bins)
    terms = [float(row["entropy"]) for row in rows]
    check(near(found["entropy"]["value"], statistics.fmean(terms), 1e-9), found["entropy"])
    check(near(found["entropy"]["standard_error"], statistics.stdev(terms) / math.sqrt(len(terms)), 1e-9))
    for row in found["sample"]:
        check(near(row["p"], max(p[row["row"] - 1]), 1e-4), row)
    check(sorted(row["row"] for row in found["sample"]) == list(range(1, 151)))
    for curve in found["curves"]:
        check(all(near(sum(v), 1.0, 1e-3) for v in curve["values"]), curve["name"])


def same_as_suggest(nimgp):
    """The rows worth a label and the measurements worth repeating are those of suggest."""
    setting(nimgp)
    found = nimgp("report", "m", "test.csv", "--json").json()
    label = nimgp("suggest", "m", "test.csv", "--by", "entropy", "-n", "40", "--json").json()
    check([r["row"] for r in found["to_label"]] == [r["row"] for r in label])
    measure = nimgp("suggest", "m", "test.csv", "--by", "measurement", "-n", "40", "--remeasure", "--json").json()
    check([r["row"] for r in found["to_measure"]] == [r["row"] for r in measure])
    for ours, theirs in zip(found["to_measure"], measure):
        check(ours["name"] == f"star {theirs['row'] - 1}", ours)
        check("abc"[ours["best"]] == theirs["predicted"] and near(ours["measurement"], theirs["measurement"], 1e-4))
        named = [pair[0] for pair in ours["remeasure"]]
        check(named == [theirs[k] for k in ("remeasure", "second") if theirs[k]], ours, theirs)


def without_labels(nimgp):
    """No label column: predictions alone. Some labels: these are rated, the others suggested."""
    head, table = setting(nimgp)
    nimgp.write_rows("bare.csv", head[:-1], [row[:-1] for row in table])
    bare = nimgp("report", "m", "bare.csv", "--json").json()
    check(bare["evaluation"] is None and bare["rows"] == 150 and sum(bare["predictions"]["predicted"]) == 150)
    nimgp.write_rows("some.csv", head, [[*row[:-1], row[-1] if i % 3 else ""] for i, row in enumerate(table)])
    some = nimgp("report", "m", "some.csv", "--json").json()
    check(some["rows"] == 150 and some["known"] == 100 and some["left_out"]["no_label"] == 50)
    check(some["evaluation"]["nll"] == nimgp("evaluate", "m", "some.csv", "--json").json()["nll"])
    check(some["to_label"] and all(row["row"] % 3 == 1 and "y" not in row for row in some["to_label"]))
    nimgp.write_rows("none.csv", head, [[*row[:-1], ""] for row in table])
    none = nimgp("report", "m", "none.csv", "--json").json()
    check(none["evaluation"] is None and none["predictions"] == bare["predictions"])
    nimgp.refuses("report", "m", "bare.csv", "-o", "r.html", "--label", "kind", says=["bare.csv", "kind"])


def hostile_names(nimgp):
    """Names that would end a script, and more: text in the data, never markup."""
    names = ["</script><script>alert(1)</script>", "<!--", "'\"&lt;", "\u202e\u2028 \U0001f52d", "x" * 300]
    source = random.Random(3)
    head = ['"</script><b>"', '"</script><b>_err"', '"a\' ""q"" \u4e2d"', "class"]
    rows = []
    for _ in range(100):
        k = source.randrange(len(names))
        quoted = '"' + names[k].replace('"', '""') + '"'
        rows.append([source.gauss(k, 0.5), 0.2, source.gauss(-k, 0.5), quoted])
    table = "<img src=x onerror=alert(1)>'$(id).csv"
    nimgp.write_rows(table, head, rows)
    nimgp("fit", table, "-o", "m", *QUICK, "--label", "class")
    nimgp("report", "m", table, "-o", "</script>.html".replace("/", ""), "--quiet")
    page = page_of(nimgp, "<script>.html")
    check(sorted(page.data["classes"]) == sorted(names), page.data["classes"])
    check({a["name"] for a in page.data["attributes"]} == {"</script><b>", "a' \"q\" \u4e2d"})
    check(page.data["facts"]["table"] == table and "'\\''" in page.data["facts"]["command"])
    check(page.elements["script"] == 2 and "b" not in page.elements and "img" not in page.elements)
    check(page.links == ["#page"], page.links)
    for word in ("default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "form-action 'none'"):
        check(word in page.policy, page.policy)
    check("unsafe" not in page.policy and "http" not in page.policy)


def other_targets(nimgp):
    """Numbers, counts, levels and labels; one row; a class that is absent."""
    source = random.Random(5)
    rows = []
    for _ in range(80):
        x = source.uniform(-2, 2)
        y = math.sin(x) + source.gauss(0, 0.1)
        rows.append([x + source.gauss(0, 0.1), 0.1, y, max(0, round(3 + 2 * y)), int(y > 0), int(y > 0), int(x > 0)])
    nimgp.write_rows("t.csv", ["x", "x_err", "y", "count", "level", "rain", "wind"], rows)
    wanted = {"regress": ("rmse", "pit", "coverage_90"), "count": ("rmse", "pit"), "ordinal": ("mae", "reliability"),
              "multilabel": ("exact", "labels")}
    for task, parts in wanted.items():
        more = ["--label", "rain,wind"] if task == "multilabel" else []
        nimgp("fit", "t.csv", "-o", task, "--task", task, "--features", "x", *QUICK, *more)
        evaluated = nimgp("evaluate", task, "t.csv", "--json").json()
        found = nimgp("report", task, "t.csv", "--json").json()
        for part in parts + ("nll", "by_noise"):
            check(found["evaluation"][part] == evaluated[part], task, part)
        if "pit" in parts:
            check(near(sum(b["value"] for b in evaluated["pit"]), 1.0, 1e-9), evaluated["pit"])
        nimgp("report", task, "t.csv", "-o", task + ".html", "--quiet")
        check(page_of(nimgp, task + ".html").data["rows"] == 80)
    # Places of numbers, from quantiles that predict gives.
    quantiles = [f"{k / 20:g}" for k in range(1, 20)]
    predicted = nimgp("predict", "regress", "t.csv", "--quantiles", ",".join(quantiles)).rows()
    bins = [0] * 20
    for row, q in zip(rows, predicted):
        bins[sum(float(value) < row[2] for key, value in q.items() if key.startswith("q"))] += 1
    found = [round(80 * b["value"]) for b in nimgp("evaluate", "regress", "t.csv", "--json").json()["pit"]]
    check(found == bins, found, bins)


def small_and_absent(nimgp):
    head, table = setting(nimgp)
    nimgp.write_rows("one.csv", head, table[1:2])
    one = nimgp("report", "m", "one.csv", "--json").json()
    check(one["rows"] == 1 and one["evaluation"]["error"]["standard_error"] is None)
    nimgp.write_rows("two.csv", head, [row for row in table if row[-1] != "b"])
    two = nimgp("report", "m", "two.csv", "--json").json()
    check(two["classes"] == list("abc") and two["evaluation"]["confusion"]["counts"][1] == [0, 0, 0])


def training_is_shown(nimgp):
    """The bound of every epoch, as fit reported it."""
    nimgp.write_rows("train.csv", *blobs(120))
    told = nimgp("fit", "train.csv", "-o", "m", *QUICK, "--progress", "json").err.splitlines()
    bounds = [json.loads(line) for line in told if line.startswith("{")]
    trace = nimgp("report", "m", "train.csv", "--json").json()["training"]["trace"]
    check(len(trace) == 20 and [epoch for epoch, _ in trace] == list(range(1, 21)), trace)
    for line in bounds:
        if line.get("batch", 0) == 0 and 1 <= line.get("epoch", 0) <= 20:
            check(near(trace[line["epoch"] - 1][1], line["bound"], 1e-12), line)


def denoised_only_where_it_can_be(nimgp):
    """Rows whose model has parameters of its training rows are not denoised with those of other rows,
    nor rows without the target that the model reads."""
    head, table = blobs(60, seed=2)
    nimgp.write_rows("train.csv", *blobs(120))
    nimgp.write_rows("test.csv", head, table)
    nimgp.write_rows("half.csv", head, [[*row[:-1], "" if i % 2 else row[-1]] for i, row in enumerate(table)])
    for model, known, half in (("marginal", True, True), ("latent", False, False), ("narrow", False, False),
                               ("amortised", True, False), ("networks", True, False)):
        nimgp("fit", "train.csv", "-o", "m", "--input", model, *QUICK)
        for name, wanted in (("test.csv", known), ("half.csv", half)):
            nimgp("report", "m", name, "-o", "r.html")
            found = page_of(nimgp).data["denoised"]
            check(bool(found) == wanted, model, name, found)


def refusals(nimgp):
    head, table = setting(nimgp)
    nimgp.refuses("report", "m", "test.csv", says=["-o"], code=1)
    nimgp.refuses("report", "m", "test.csv", "-o", "test.csv", says=["test.csv", "overwritten"], code=1)
    nimgp.refuses("report", "m", "test.csv", "-o", "nowhere/r.html", says=["nowhere"])
    for name in ("r.html", "R.HTM"):
        nimgp.refuses("report", "m", "test.csv", "--json", "-o", name, says=[name, "--json writes JSON"], code=1)
    for command in (["report", "m", "test.csv", "-o"], ["evaluate", "m", "test.csv", "--report"]):
        nimgp.refuses(*command, "r.json", says=["r.json", "an HTML page; nimgp report --json"], code=1)
    nimgp("report", "m", "test.csv", "--json", "-o", "r.json", "--quiet")
    check(json.loads(nimgp.read("r.json"))["rows"] == 150)
    nimgp.refuses("report", "m", "test.csv", "-o", "r.html", "--where", "x1 > 100", says=["--where"])
    nimgp.refuses("evaluate", "m", "test.csv", "--report", "-", says=["--report -", "the scores"], code=1)
    nimgp.write("p.csv", "p_a,p_b,p_c\n" + "0.2,0.3,0.5\n" * 150)
    nimgp.refuses("evaluate", "--probabilities", "p.csv", "test.csv", "--report", "r.html", says=["--report"], code=1)
    nimgp.write_rows("named.csv", ["star", *head], [[f"HD {i}", *row] for i, row in enumerate(table)])
    named = nimgp("report", "m", "named.csv", "--json", "--name", "star").json()
    check(all(row["name"].startswith("HD ") for row in named["to_label"]), named["to_label"])
    nimgp.refuses("report", "m", "named.csv", "-o", "r.html", "--name", "star2", says=["did you mean 'star'?"])
    # Rows of unknown classes are predicted all the same, as predict does, and not scored.
    nimgp.write_rows("other.csv", head, [[*row[:-1], "z"] for row in table])
    nimgp("report", "m", "other.csv", "-o", "r.html")
    page = nimgp("report", "m", "other.csv", "--json").json()
    check(page["rows"] == 150 and page["known"] == 0 and page["evaluation"] is None, page["rows"], page["known"])
    check(page["left_out"]["other_classes"] == 150)


if __name__ == "__main__":
    main([same_as_evaluate, exchanged, same_as_predict, same_as_suggest, without_labels, hostile_names, other_targets,
          small_and_absent, training_is_shown, denoised_only_where_it_can_be,
          refusals])
