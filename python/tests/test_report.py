# SPDX-License-Identifier: Apache-2.0
"""Reports: as data, and in a real browser. What the numbers are, tests/cli/check_report.py compares."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import xml.etree.ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nimgp
from problems import ROOT

QUICK = {"epochs": 8, "stop": "fixed", "inducing": 10, "points": 32, "random_state": 0}
HOSTILE = [
    "</script><script>document.title = 'taken over'</script>",
    "\"double\" & 'single' <b>bold</b>",
    "\u202eunicode \U0001f52d " + "x" * 300,
]


def blobs(rows: int, classes: int, attributes: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Rows around one centre a class, their classes and errors."""
    source = np.random.default_rng(seed)
    y = source.integers(classes, size=rows)
    X = 0.6 * source.normal(size=(rows, attributes))
    X[:, 0] += 3 * np.cos(2 * np.pi * y / classes)
    X[:, -1] += 3 * np.sin(2 * np.pi * y / classes)
    sigma = source.uniform(0.05, 0.6, size=X.shape)
    return X + sigma * source.normal(size=X.shape), y, sigma


def classifier(**settings: Any) -> nimgp.NoisyGPClassifier:
    return nimgp.NoisyGPClassifier(calibrate=False, **(QUICK | settings))


@pytest.fixture(scope="module")
def hostile() -> nimgp.Report:
    """Three classes and two attributes whose names are traps, with learned noise and weights."""
    pandas = pytest.importorskip("pandas")
    X, y, sigma = blobs(200, 3, 2)
    table = pandas.DataFrame(X, columns=["<img src=x onerror=alert(1)>", "y" * 300])
    model = classifier(noise="both", input="first_order")
    model.fit(
        table,
        np.array(HOSTILE, dtype=object)[y],
        X_err=sigma,
        sample_weight=np.linspace(0.5, 2, 200),
    )
    names = [f"<script>{i}" for i in range(200)]
    return model.report(table, np.array(HOSTILE, dtype=object)[y], X_err=sigma, names=names)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="NO BROWSER: playwright is not there"
    )
    path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if path is None:
        pytest.skip("NO BROWSER: chromium is not there; scripts/setup.sh browser installs it")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A report in the browser; whatever goes wrong there is noted."""

    def __init__(
        self,
        chromium: Any,
        report: nimgp.Report,
        path: Path,
        width: int = 1280,
        scheme: str = "light",
    ):
        report.save(path)
        self.data, self.troubles, self.requests = report.data, [], []
        self.page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def marks(self) -> dict[str, int]:
        script = "() => [...document.querySelectorAll('figure')].map(f => [f.id, f.querySelectorAll('.mark').length])"
        return dict(self.page.evaluate(script))

    def is_fine(self) -> None:
        """Drawn to its end, nothing complained of, nothing fetched, nothing beyond the edge."""
        assert self.page.evaluate("document.documentElement.dataset.ready") == "1"
        assert self.troubles == []
        assert [url for url in self.requests if not url.startswith("data:")] == [self.page.url]
        width = self.page.viewport_size["width"]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    opened: list[Opened] = []

    def show(report: nimgp.Report, **more: Any) -> Opened:
        opened.append(Opened(chromium, report, tmp_path / f"<{len(opened)}>' \".html", **more))
        return opened[-1]

    yield show
    for one in opened:
        one.page.close()


def in_range(data: dict[str, Any]) -> int:
    """Rows of the sample that the map shows."""
    across, up = data["map"]["across"], data["map"]["up"]

    def inside(row: dict[str, Any], axis: dict[str, Any]) -> bool:
        value = row["x"][axis["shown"]]
        return value is not None and axis["low"] <= value <= axis["high"]

    return sum(inside(row, across) and inside(row, up) for row in data["sample"][:150])


# ---------------------------------------------------------------- without a browser


def test_it_is_one_file_and_its_numbers(hostile: nimgp.Report, tmp_path: Path) -> None:
    hostile.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == hostile.html and len(text.encode()) < 2_000_000
    inside = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    assert json.loads(inside) == hostile.data
    assert hostile.data["classes"] == sorted(HOSTILE)
    assert repr(hostile).startswith("Report of 200 rows")


def test_numbers_are_those_of_the_estimator() -> None:
    X, y, sigma = blobs(150, 3, 2)
    model = classifier().fit(X, y, X_err=sigma)
    data = model.report(X, y, X_err=sigma).data
    p = model.predict_proba(X, X_err=sigma)
    assert data["evaluation"]["nll"]["value"] == pytest.approx(-np.log(p[np.arange(150), y]).mean())
    assert data["evaluation"]["error"]["value"] == pytest.approx((p.argmax(1) != y).mean())
    assert data["predictions"]["expected"] == pytest.approx(p.sum(0))
    assert data["entropy"]["value"] == pytest.approx(-(p * np.log(p)).sum(1).mean())
    assert [bound for _, bound in data["training"]["trace"]] == pytest.approx(model.history_[:, 1])
    relevance = {a["name"]: a["relevance"] for a in data["attributes"]}
    assert [relevance[f"x{j + 1}"] for j in range(2)] == pytest.approx(model.relevance_, rel=1e-4)
    for attribute in data["attributes"]:
        assert sum(attribute["by_function"]) == pytest.approx(attribute["relevance"], rel=1e-3)


def test_what_cannot_be_reported_is_refused() -> None:
    X, y, sigma = blobs(60, 2, 1)
    model = classifier().fit(X, y, X_err=sigma)
    with pytest.raises(ValueError, match="names has 3 entries"):
        model.report(X, y, X_err=sigma, names=["a", "b", "c"])
    with pytest.raises(OSError):
        model.report(X, y, X_err=sigma, path="/nowhere/at/all.html")


# ---------------------------------------------------------------- in a browser


def test_every_chart_has_its_marks(hostile: nimgp.Report, show: Any) -> None:
    opened = show(hostile)
    opened.is_fine()
    data, marks = hostile.data, opened.marks()
    evaluation = data["evaluation"]
    expected = {
        "confusion": 9,
        "reliability": len(evaluation["reliability"]),
        "by-noise": 3 * len(evaluation["by_noise"]),
        "precision-recall": sum(
            any(row[c] for row in evaluation["confusion"]["counts"]) + any(evaluation["confusion"]["counts"][c])
            for c in range(3)
        ),
        "roc": 3,
        "recall-curve": 3,
        "predicted": 3,
        "confidence": 20,
        "bound": 8,
        "relevance": 6,
        "exchanged": sum(rise is not None for rise, _ in data["exchanged"]),
        "noise": 4,
        "curve-0": 33,
        "curve-1": 33,
        "map": 26 * 26 + in_range(data),
    }
    assert {name: marks[name] for name in expected} == expected
    assert set(marks) - set(expected) <= {"denoised"}
    lines = opened.page.evaluate("document.querySelectorAll('#curve-0 polyline.line').length")
    assert lines == 3


def test_what_was_set_and_what_moves(hostile: nimgp.Report, show: Any) -> None:
    """Options chosen automatically are not "set"; shares of 0 and 1 have bars; the attributes whose values move are shown."""
    given = QUICK | {"noise": "both", "input": "first_order", "calibrate": "none"}
    shown = {name for name, _, usual in hostile.data["options"] if not usual} - {"threads"}  # which OMP_NUM_THREADS may give
    assert shown == set(given) - {"random_state"}
    lengths = "[...document.querySelectorAll('#precision-recall line[stroke]')].map(l => l.x2.baseVal.value - l.x1.baseVal.value)"
    assert min(show(hostile).page.evaluate(lengths)) > 0
    X, y, sigma = blobs(300, 2, 12)
    sigma[:, [2, 7]] = 1.0
    X[:, [2, 7]] = np.random.default_rng(3).normal(size=(300, 2)) * 1.4
    X_err = {f"x{j}": sigma[:, j] for j in (2, 7)}
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[f"x{j}" for j in range(12)]).assign(
        **{f"{name}_err": error for name, error in X_err.items()}, label=y
    )
    model = nimgp.fit_table(table, "label", classifier())
    unknown = table.assign(label=[None] * 40 + list(y[40:]))
    opened = show(model.report(unknown))
    opened.is_fine()
    titles = opened.page.locator("#denoised text").all_text_contents()
    assert {"x2", "x7"} <= set(titles), titles
    heads = opened.page.locator("#to-label th").all_inner_texts()
    assert "Predicted" in " ".join(heads) and "True" not in " ".join(heads), heads


def test_hostile_names_are_text(hostile: nimgp.Report, show: Any) -> None:
    opened = show(hostile)
    opened.is_fine()
    page = opened.page
    assert page.title() == "NoisyGPClassifier – nimgp report"
    about = page.inner_text("#about")
    for name in [*HOSTILE, "<img src=x onerror=alert(1)>", "y" * 300]:
        assert " ".join(name.split()) in " ".join(about.split())
    assert page.evaluate("document.querySelectorAll('main img, main b b, main script').length") == 0
    assert "<script>" in page.inner_text("#to-label tbody tr:first-child")


def test_scores_shown_are_those_of_the_data(hostile: nimgp.Report, show: Any) -> None:
    page = show(hostile).page
    for key in ("error", "nll", "brier", "ece"):
        score = hostile.data["evaluation"][key]
        card = page.locator(f"[data-score={key}]")
        shown, error = (card.locator(part).inner_text() for part in ("b", ".se"))
        scale = 100 if key == "error" else 1
        digits = len(shown.rstrip(" %").partition(".")[2])
        assert float(shown.rstrip(" %")) == pytest.approx(
            scale * score["value"], abs=0.51 * 10**-digits
        )
        assert float(error.strip("± %")) == pytest.approx(
            scale * score["standard_error"], abs=0.51 * 10**-digits
        )


def test_tables_sort(hostile: nimgp.Report, show: Any) -> None:
    page = show(hostile).page
    button = page.locator("#to-label th button", has_text="Entropy")

    def column() -> list[float]:
        return [
            float(text)
            for text in page.locator("#to-label tbody tr td:nth-child(6)").all_text_contents()
        ]

    assert len(column()) == 40
    for order in ("descending", "ascending"):
        button.click()
        assert page.locator("#to-label th[aria-sort]").get_attribute("aria-sort") == order
        assert column() == sorted(column(), reverse=order == "descending")
    assert page.locator("#to-label tbody tr:visible").count() == 10
    page.locator("#to-label .more").click()
    assert page.locator("#to-label tbody tr:visible").count() == 40


def test_pointer_and_keys_show_values(hostile: nimgp.Report, show: Any) -> None:
    opened = show(hostile)
    page = opened.page
    page.locator("#confusion .mark").first.hover()
    assert " taken for " in page.inner_text("#tip")
    page.mouse.move(0, 0)
    page.locator("#reliability svg[role=img]").focus()
    page.keyboard.press("ArrowRight")
    first = page.inner_text("#tip")
    page.keyboard.press("ArrowRight")
    assert first.startswith("sure by") and page.inner_text("#tip") != first
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    for svg in page.locator("figure svg[role=img]").all():
        assert len(svg.get_attribute("aria-label")) > 20
    opened.is_fine()


def test_charts_can_be_taken_along(hostile: nimgp.Report, show: Any) -> None:
    opened = show(hostile)
    page = opened.page
    with page.expect_download() as waiting:
        page.locator("#confusion button", has_text="Save SVG").click()
    drawing = Path(waiting.value.path()).read_text()
    assert waiting.value.suggested_filename == "confusion.svg" and "var(" not in drawing
    assert len(xml.etree.ElementTree.fromstring(drawing).findall(".//{*}rect")) == 10
    with page.expect_download() as waiting:
        page.locator("#confusion button", has_text="Save PNG").click()
    picture = Path(waiting.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 3000
    page.locator("#confusion button", has_text="Show data").click()
    cells = page.locator("#confusion .data td").all_text_contents()
    assert [float(cell) for cell in cells if re.fullmatch(r"\d+", cell)][:3]
    opened.is_fine()


def contrast(one: str, other: str) -> float:
    """Of two colours #rrggbb, as WCAG has it."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_looks_right(hostile: nimgp.Report, show: Any, width: int, scheme: str) -> None:
    opened = show(hostile, width=width, scheme=scheme)
    opened.is_fine()
    page = opened.page
    script = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    paint = {
        name: page.evaluate(script, "--" + name)
        for name in [
            "bg",
            "surface",
            "ink",
            "muted",
            "accent",
            "warm",
            "other",
            "on-accent",
            *(f"c{k}" for k in range(10)),
        ]
    }
    for ground in ("bg", "surface"):
        assert all(
            contrast(paint[name], paint[ground]) >= 4.5 for name in ("ink", "muted", "accent")
        )
        assert all(
            contrast(paint[name], paint[ground]) >= 3
            for name in paint
            if name[0] == "c" or name in ("warm", "other")
        )
    assert contrast(paint["on-accent"], paint["accent"]) >= 4.5
    boxes = [figure.bounding_box() for figure in page.locator("figure").all()]
    assert all(box["width"] > 0.4 * min(width, 1000) and box["height"] > 80 for box in boxes)
    shots = Path(os.environ.get("NIMGP_SCREENSHOTS", ROOT / "build" / "screenshots"))  # to look at
    shots.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=shots / f"report-{width}-{scheme}.png", full_page=True)
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden() and page.locator("#confusion svg[role=img]").is_visible()


def test_nothing_from_outside_gets_in(hostile: nimgp.Report, show: Any) -> None:
    opened = show(hostile)
    blocked = opened.page.evaluate("""() => new Promise((resolve) => {
        const seen = [];
        addEventListener("securitypolicyviolation", (e) => seen.push(e.effectiveDirective));
        const image = new Image(); image.src = "http://127.0.0.1:9/x.png";
        const script = document.createElement("script"); script.textContent = "document.title = 'in'"; document.body.append(script);
        fetch("http://127.0.0.1:9/").catch(() => 0);
        setTimeout(() => resolve(seen), 300);
    })""")
    assert {"img-src", "connect-src"} <= set(blocked) and any(
        b.startswith("script-src") for b in blocked
    )
    assert opened.page.title() != "in"


def test_it_shows_in_a_notebook(hostile: nimgp.Report, chromium: Any) -> None:
    page = chromium.new_page()
    page.set_content(f"<main>{hostile._repr_html_()}</main>")
    frame = page.frame_locator("iframe")
    frame.locator("figure#confusion .mark").first.wait_for()
    assert frame.locator("figure").count() >= 12 and frame.locator("#scores .card").count() == 4
    assert page.locator("main > *").count() == 1
    page.close()


def test_sets_and_strangers(show: Any) -> None:
    """Where the model knows them: the numbers of novelty and predict_set, and a mark for each."""
    X, y, sigma = blobs(200, 3, 2)
    X[0] = 40.0  # like nothing else
    model = nimgp.NoisyGPClassifier(**QUICK).fit(X[1:], y[1:], X_err=sigma[1:])
    report = model.report(X, y, X_err=sigma)
    data, novelty = report.data, model.novelty(X, X_err=sigma)
    sets = model.predict_set(X, 0.9, X_err=sigma)
    assert data["sets"]["sizes"] == np.bincount(sets.sum(axis=1), minlength=4).tolist()
    assert data["sets"]["held"]["value"] == pytest.approx(sets[np.arange(200), y].mean())
    bins = np.minimum(novelty // data["novelty"]["bin"], 19).astype(int)
    assert data["novelty"]["rows"] == np.bincount(bins, minlength=20).tolist()
    listed = data["strangers"]
    assert listed[0]["row"] == 1 and listed[0]["novelty"] == pytest.approx(novelty[0], rel=1e-4)
    assert [row["row"] - 1 for row in listed[:5]] == np.argsort(-novelty, kind="stable")[:5].tolist()
    opened = show(report)
    opened.is_fine()
    marks = opened.marks()
    assert marks["sets"] == 4 and marks["novelty"] == 20
    assert opened.page.locator("#strangers tbody tr").count() == len(listed)
    assert "above 2:" in opened.page.inner_text("#novelty")


def test_without_labels(show: Any) -> None:
    X, y, sigma = blobs(80, 2, 1)
    opened = show(classifier().fit(X, y, X_err=sigma).report(X, X_err=sigma))
    opened.is_fine()
    marks = opened.marks()
    assert (
        "confusion" not in marks
        and "map" not in marks
        and marks["predicted"] == 2
        and marks["curve-0"] == 33
    )
    assert "shows the predictions only" in opened.page.inner_text("main")


@pytest.mark.parametrize(("classes", "attributes"), [(2, 1), (10, 2), (50, 3), (3, 784)])
def test_many_classes_and_attributes(show: Any, classes: int, attributes: int) -> None:
    X, y, sigma = blobs(150 if attributes > 3 else 250, classes, attributes, seed=3)
    y[:classes] = np.arange(classes)
    model = classifier(epochs=3, input="first_order")
    model.fit(X, y, X_err=sigma)
    kept = y != 1  # a class that is absent
    report = model.report(X[kept], y[kept], X_err=sigma[kept])
    assert len(report.html.encode()) < 600_000
    opened = show(report, width=400)
    opened.is_fine()
    marks = opened.marks()
    assert marks["confusion"] == classes**2 and marks["predicted"] == min(classes, 30)
    assert marks["relevance"] >= min(attributes, 24)


def test_one_row(hostile: nimgp.Report, show: Any) -> None:
    X, y, sigma = blobs(80, 3, 2)
    report = classifier().fit(X, y, X_err=sigma).report(X[:1], y[:1], X_err=sigma[:1])
    opened = show(report)
    opened.is_fine()
    assert "NaN" not in opened.page.inner_text("main") and opened.marks()["reliability"] == 1


def test_numbers_counts_levels_labels(show: Any) -> None:
    source = np.random.default_rng(1)
    x = source.uniform(-2, 2, size=(120, 1))
    f = np.sin(2 * x[:, 0])
    sigma = np.full(x.shape, 0.1)
    settings = QUICK | {"input": "first_order"}
    number = nimgp.NoisyGPRegressor(**settings).fit(x, f, X_err=sigma)
    count = nimgp.NoisyGPCountRegressor(**settings).fit(x, np.round(4 + 3 * f), X_err=sigma)
    level = nimgp.NoisyGPOrdinalClassifier(calibrate=False, **settings).fit(
        x, np.digitize(f, [-0.5, 0.5]), X_err=sigma
    )
    sets = np.stack([f > 0, x[:, 0] > 0], axis=1).astype(int)
    label = nimgp.NoisyGPMultiLabelClassifier(**settings).fit(x, sets, X_err=sigma)
    for report in (
        number.report(x, f, X_err=sigma),
        count.report(x, np.round(4 + 3 * f), X_err=sigma),
    ):
        opened = show(report)
        opened.is_fine()
        marks = opened.marks()
        assert (marks["seen"], marks["pit"], marks["coverage"], marks["curve-0"]) == (
            120,
            20,
            3,
            33,
        )
        assert math.isclose(
            sum(b["value"] for b in report.data["evaluation"]["pit"]), 1, rel_tol=1e-9
        )
    opened = show(level.report(x, np.digitize(f, [-0.5, 0.5]), X_err=sigma))
    opened.is_fine()
    assert opened.marks()["confusion"] == 9 and opened.page.locator("[data-score=mae]").count() == 1
    opened = show(label.report(x, sets, X_err=sigma))
    opened.is_fine()
    assert opened.marks()["labels"] == 2 and opened.page.locator("[data-score=exact]").count() == 1
