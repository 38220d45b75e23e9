# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments: each runs in a short variant; runs are kept; figures are found."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from problems import ROOT

sys.path.insert(0, str(ROOT))  # experiments are not part of the package

from experiments import __main__ as command
from experiments import published, uci_peers
from experiments.data import default_folder, missing_files
from experiments.experiment import Experiment, Outcome, Place, Task
from experiments.methods import ALL
from experiments.paper import EXPERIMENTS, mnist
from experiments.runs import COLUMNS, Run, read_runs, run_missing, take_same

PROGRAM = ROOT / "build" / "release" / "cli" / "nimgp"


@pytest.fixture(autouse=True)
def program() -> None:
    if not PROGRAM.exists():
        pytest.skip(f"NO PROGRAM: {PROGRAM} is not built; run `make build`")


def run_command(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["experiments", *map(str, words)])
    return command.main()


# ---------------------------------------------------------------------- every experiment


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_short_variant(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every method of every protocol runs, and the report and its figures are written."""
    experiment = EXPERIMENTS[name]
    missing = missing_files(experiment, default_folder())
    if missing:
        pytest.skip(f"NO DATA: {missing[0]} is not there; set NIMGP_DATA")
    # scikit-learn's take longest, and are the same everywhere
    protocols = [p for p in experiment.methods if p != "peers" or name == "toy"]
    words = ["--short", "--workers", 1, "--out", tmp_path, "--protocols", ",".join(protocols)]
    assert run_command(monkeypatch, name, *words) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["short"]  # apart from whole runs
    folder = tmp_path / "short"
    runs = read_runs(folder / "runs" / f"{name}.csv")
    assert {r.task.protocol for r in runs} == set(protocols)
    assert {r.task.method for r in runs} == {m for p in protocols for m in experiment.methods[p]}
    assert all(np.isfinite([r.nll, r.error]).all() and r.seconds > 0 for r in runs)
    assert all(r.detail["commit"] for r in runs) or not (ROOT / ".git").exists()
    text = (folder / f"{name}.md").read_text()
    shown = [line.rpartition("(")[2][:-1] for line in text.splitlines() if line.startswith("![")]
    for picture in shown:
        assert (folder / picture).stat().st_size > 1000
        assert (folder / picture).with_suffix(".png").stat().st_size > 1000
    assert (folder / "overview.md").exists()


def test_mnist_standardised_by_pixel_or_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three pixels: one bright, one a tenth of it, one always black."""
    rng = np.random.default_rng(0)
    bright = rng.integers(0, 256, size=70_000)
    pixels = np.c_[bright, 0.1 * bright, 0 * bright]
    monkeypatch.setattr(mnist, "mnist_rows", lambda _: (pixels, bright % 10))
    place = Place(Path(), PROGRAM, short=True)
    X = mnist.make_problem(place, 0.0, 0).X
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), [1, 1, 0], atol=1e-12)
    X = mnist.make_problem(place, 0.0, 0, together=True).X
    np.testing.assert_allclose([X.mean(), X.std()], [0, 1], atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0) / X[:, 0].std(), [1, 0.1, 0], atol=1e-12)


def test_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    words = ["--short", "--data", tmp_path / "none", "--out", tmp_path]
    assert run_command(monkeypatch, "astro", *words) == 3
    assert "4fgl_paper.csv is not there" in capsys.readouterr().err
    assert not (tmp_path / "short").exists()
    # made-up problems need no data, nor the list of published figures
    assert run_command(monkeypatch, "baselines", "--workers", 1, *words) == 0
    assert "stands alone" in (tmp_path / "short" / "baselines.md").read_text()


@pytest.mark.parametrize(("words", "message"), [
    ("uci --only glass", "glass is not NAME=VALUE"),
    ("uci --only sets=glass", "there is no setting sets"),
    ("all --only set=glas", "there is no set glas, only"),
    ("uci --methods MGP NIMPG", "there is no method NIMPG, only"),
    ("uci --methods NIMGP --protocols ours", "uci has no run of these"),
    ("uci --change alpha", "alpha is not NAME=VALUE"),
    ("uci --change alfa=1", "there is no parameter alfa"),
    ("uci --change alpha=much", "alpha"),
    ("uci --first -1", "-1 is not a number from 0 on"),
    ("uci --first 90 --repeats 20", "uci has 100 repeats, not 110"),
    ("uci --repeats 0", "0 is not a number from 1 on"),
    ("uci --repeats few", "few is not a number from 1 on"),
    ("uci --protocols mine", "mine is not one of published"),
    ("cui", "invalid choice: 'cui'"),
    ("overview", "has no runs"),
    ("toy --out /proc/none", "/proc/none"),
])  # fmt: skip
def test_bad_arguments(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """The last line says what is wrong, and nothing runs."""
    monkeypatch.setattr(command, "missing_files", lambda *_: [])
    monkeypatch.setattr(command, "run_missing", lambda *_: pytest.fail("it runs"))
    with pytest.raises(SystemExit) as stopped:
        run_command(monkeypatch, *["--out", tmp_path], *words.split())
    assert stopped.value.code not in (0, None)
    said = stopped.value.code if isinstance(stopped.value.code, str) else capsys.readouterr().err
    assert message in said.splitlines()[-1]


@pytest.mark.parametrize("text", ["alpha=0,caution=1", "inducing=300,epochs=10,calibrate=False"])
def test_good_changes(text: str) -> None:
    """Also those that need more rows than a few."""
    assert command.change(text) == text


# ---------------------------------------------------------------------- runs are kept


def count_letters(task: Task, place: Place) -> Outcome:
    return Outcome(task.repeat, len(task.setting), 0.5, 1.0, {"text": 'a,"b"\n'})


LETTERS = Experiment("letters", "Letters", None, ("one", "three"), {"ours": ("given",)}, count_letters)
NOWHERE = Place(Path(), Path())


def letters(repeats: int) -> list[Task]:
    return list(LETTERS.tasks(["ours", "published"], range(repeats), lambda task: True))


def test_runs_are_done_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    assert run_missing(LETTERS, letters(2), path, NOWHERE, 1) == 4
    assert run_missing(LETTERS, letters(3), path, NOWHERE, 1) == 2
    runs = read_runs(path)
    assert [r.task for r in runs] == letters(3)
    assert [r.nll for r in runs] == [3, 5] * 3
    assert runs[0].detail["text"] == 'a,"b"\n'


@pytest.mark.parametrize("left", [1, 10, 35, -5])
def test_row_cut_short_is_done_again(
    tmp_path: Path, left: int, capsys: pytest.CaptureFixture
) -> None:
    """As a kill or a full disk leaves it, wherever in the last row: -5 is inside its quotes."""
    path = tmp_path / "runs.csv"
    run_missing(LETTERS, letters(2), path, NOWHERE, 1)
    whole = path.read_bytes()
    last = whole.rindex(b"ours,")
    path.write_bytes(whole[: last + left] if left > 0 else whole[:left])
    assert len(read_runs(path)) == 3
    for missing in (1, 0):
        assert run_missing(LETTERS, letters(2), path, NOWHERE, 1) == missing
        assert {r.task for r in read_runs(path)} == set(letters(2))
    assert f"{path}: line 5 is no run" in capsys.readouterr().err


@pytest.mark.parametrize("line", [b"ours,given,one,2,2,nan,0.5,1,,{}", b"\xff\xfe,given,one"])
def test_line_that_is_no_run(tmp_path: Path, line: bytes, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "runs.csv"
    run_missing(LETTERS, letters(1), path, NOWHERE, 1)
    path.write_bytes(path.read_bytes() + line + b"\n")
    assert [r.task for r in read_runs(path)] == letters(1)
    assert "line 4 is no run and is left out (1 of 3" in capsys.readouterr().err


def test_workers_give_the_same_runs(tmp_path: Path) -> None:
    experiment = EXPERIMENTS["baselines"]
    place = Place(Path(), PROGRAM, short=True)
    tasks = list(experiment.tasks(["published"], range(1), lambda t: t.setting == "noise=0.1"))
    for workers in (1, 2):
        run_missing(experiment, tasks, tmp_path / f"{workers}.csv", place, workers)
    alone, together = (
        {r.task: (r.seed, r.nll, r.error) for r in read_runs(tmp_path / f"{w}.csv")} for w in (1, 2)
    )
    assert alone == together and len(alone) == 3


def test_runs_of_other_experiments(tmp_path: Path) -> None:
    """A run is taken over where it would be the same; checked by doing both."""
    place = Place(Path(), PROGRAM, short=True)
    for name in ("synthetic", "synthetic-dn", "baselines"):
        experiment = EXPERIMENTS[name]
        tasks = [t for t in experiment.tasks(["published"], range(1), lambda t: True)
                 if experiment.same(t) and t.method == "MGP" and "noise=0.25" in t.setting]  # fmt: skip
        other, twin = experiment.same(tasks[0])
        folder = tmp_path / name
        run_missing(EXPERIMENTS[other], [twin], folder / f"{other}.csv", place, 1)
        assert take_same(experiment, tasks, folder) == 1
        assert take_same(experiment, tasks, folder) == 0
        taken = next(r for r in read_runs(folder / f"{name}.csv") if r.task == tasks[0])
        assert taken.detail["same"] == f"{other}: {twin.setting}"
        out = experiment.run(tasks[0], place)
        assert (taken.seed, f"{taken.nll:.6g}") == (out.seed, f"{out.nll:.6g}")


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("method,set\nnimgp,wine\n")
    with pytest.raises(SystemExit, match=f"columns are not {COLUMNS[0]}"):
        read_runs(path)


def test_changes_are_runs_of_their_own() -> None:
    tasks = LETTERS.tasks(["ours"], range(1), lambda task: True, ["alpha=0", "alpha=1,caution=1"])
    assert [t.method for t in tasks] == ["given", "given alpha=0", "given alpha=1,caution=1"] * 2


def test_runs_of_earlier_versions(tmp_path: Path) -> None:
    old = tmp_path / "uci.csv"
    old.write_text('method,set,variance,split,nll,error,seconds\n'
                   'nimgp,wine,0.25,3,0.5,0.1,2.0\n"RandomForest, calibrated",wine,0.0,3,1,0,1\n'
                   'nimgp alpha=1 caution=1,wine,0.25,3,0.5,0.1,2.0\n')  # fmt: skip
    path = tmp_path / "runs.csv"
    assert uci_peers.convert(old, path) == 3
    assert uci_peers.convert(old, path) == 0
    assert [r.task for r in read_runs(path)] == [
        Task("ours", "given", "noise=0.25 set=wine", 3),
        Task("peers", "RandomForest, calibrated", "noise=0.0 set=wine", 3),
        Task("ours", "given alpha=1,caution=1", "noise=0.25 set=wine", 3),
    ]


# ---------------------------------------------------------------------- published figures


def figure(mean: float, error: float, rounding: float = 0.0) -> published.Figure:
    return published.Figure("uci", "nll", "noise=0.1 set=glass", "MGP", mean, error, rounding)


@pytest.mark.parametrize(("mean", "row", "unit"), [
    (0.4, ["0.28", "0.4", "0.53"], 0.01), (0.5, ["0.363", "0.5"], 0.001), (1.37, ["1.37", "0.943"], 0.01),
    (0.0983, ["0.1045", "0.0983"], 0.0001), (0.07, ["0.07", "0.0682"], 0.0001), (2.0, ["2"], 1.0),
])  # fmt: skip
def test_rounding_of_printed_numbers(mean: float, row: list[str], unit: float) -> None:
    assert published.half_a_unit(mean, row) == pytest.approx(unit / 2)


def test_difference_in_standard_errors() -> None:
    ours = published.Ours(10, 1.0, 0.3, 0.9)
    assert published.difference(figure(0.0, 0.4), ours) == pytest.approx(1.0 / 0.5)
    assert published.difference(figure(2.0, 0.4), ours) == pytest.approx(-1.0 / 0.5)
    assert published.difference(figure(0.0, 0.4, 0.5), ours) == pytest.approx(0.5 / 0.5)
    assert published.difference(figure(0.9, 0.4, 0.5), ours) == 0.0
    # one published problem has the spread of one of ours
    single = published.difference(figure(0.0, 0.4), ours, single=True)
    assert single == pytest.approx(1.0 / np.hypot(0.3, 0.9))
    assert np.isnan(published.difference(figure(0.0, np.nan), ours))


def test_few_repeats_have_the_spread_of_the_paper() -> None:
    """Its standard error is of 100 repeats."""
    few = published.Ours(4, 1.0, 1e-9, 1e-9)
    expected = 1.0 / np.hypot(0.1, 0.1 * 5)
    assert published.repeated_difference(figure(0.0, 0.1), few, False) == pytest.approx(expected)
    many = few._replace(repeats=5)
    assert published.repeated_difference(figure(0.0, 0.1), many, False) == pytest.approx(10.0)
    assert published.agrees(figure(0.0, 0.1), few, False)
    assert not published.agrees(figure(0.0, 0.1), many, False)
    assert published.agrees(figure(0.0, 0.1), few._replace(repeats=2), False) is None


def test_mean_ranks() -> None:
    """Ranks of four methods sum to 10; ties share theirs."""
    rng = np.random.default_rng(0)
    runs = [
        Run(Task("published", m, f"noise=0.1 set={s}", k), 0, float(rng.integers(3)), 0.5, 1, "", {})
        for m in ALL for s in "abcdefgh" for k in range(5)
    ]  # fmt: skip
    ranks = published.mean_ranks(runs, "nll", "0.1", ALL)
    assert sum(r.mean for r in ranks.values()) == pytest.approx(10)
    assert {r.mean for r in published.mean_ranks(runs, "error", "0.1", ALL).values()} == {2.5}
    few = [r for r in runs if not r.task.setting.endswith("set=h")]
    assert published.mean_ranks(few, "nll", "0.1", ALL) == {}


def test_mean_ranks_count_sets_alike() -> None:
    """One set has ten times the splits of the others, and another order of the methods."""
    runs = [
        Run(Task("published", m, f"noise=0.1 set={s}", k), 0, float(-i if s == "a" else i), 0, 1, "", {})
        for i, m in enumerate(ALL) for s in "abcdefgh" for k in range(20 if s == "a" else 3)
    ]  # fmt: skip
    ranks = published.mean_ranks(runs, "nll", "0.1", ALL)
    assert [ranks[m].mean for m in ALL] == [11 / 8, 17 / 8, 23 / 8, 29 / 8]
    # with another protocol one method is the best everywhere, the others are as before
    told = [
        r._replace(task=r.task._replace(protocol="told"), nll=-9.0)
        for r in runs
        if r.task.method == "NIMGP_FO"
    ]
    ranks = published.mean_ranks(runs + told, "nll", "0.1", ALL, "told")
    assert [ranks[m].mean for m in ALL] == [18 / 8, 24 / 8, 30 / 8, 1]
    assert published.mean_ranks(runs + told, "nll", "0.1", ALL)["NIMGP_FO"].mean == 29 / 8
    # a protocol that was run on one set only: the others are as told, or as published
    one = [r._replace(task=r.task._replace(protocol="unwhitened"), nll=float(i))
           for i, m in enumerate(ALL) for r in runs
           if r.task.method == m and r.task.setting.endswith("set=a")]  # fmt: skip
    ranks = published.mean_ranks(runs + told + one, "nll", "0.1", ALL, "unwhitened")
    assert [ranks[m].mean for m in ALL] == [15 / 8, 23 / 8, 31 / 8, 11 / 8]
    # one that has just begun changes nothing
    begun = [r for r in one if r.task.repeat < 2]
    ranks = published.mean_ranks(runs + told + begun, "nll", "0.1", ALL, "unwhitened")
    assert [ranks[m].mean for m in ALL] == [18 / 8, 24 / 8, 30 / 8, 1]


@pytest.fixture
def all_figures() -> list[published.Figure]:
    found = published.read_figures(default_folder())
    if not found:
        pytest.skip(f"NO FIGURES: {default_folder().parent}/paper/published.csv is not there")
    return found


def test_every_published_figure_can_be_run(all_figures: list[published.Figure]) -> None:
    """With a run of every task of every experiment no figure is left out."""
    runs_of = {
        name: [
            Run(task, 0, 1.0 + task.repeat, 0.1 * task.repeat, 1.0, "", {"seconds_per_epoch": 1.0})
            for task in e.tasks(["published", "epoch"], range(5), lambda task: True)
        ]
        for name, e in EXPERIMENTS.items()
    }
    counts = published.count_verdicts(list(EXPERIMENTS.values()), all_figures, runs_of)
    total = sum(counts.values(), Counter())
    assert sum(total.values()) == len(all_figures) == 726
    assert len({figure[:4] for figure in all_figures}) == 726
    assert total[published.NOT_RUN] == 0


def test_nothing_run(all_figures: list[published.Figure]) -> None:
    counts = published.count_verdicts(list(EXPERIMENTS.values()), all_figures, {})
    assert sum(counts.values(), Counter()) == {published.NOT_RUN: 726}


def test_figures_compared_with_themselves(all_figures: list[published.Figure]) -> None:
    """Runs scattered about the published mean agree with it; a shifted one differs."""
    astro = [f for f in all_figures if f.table == "astro"]
    value = {(f.method, f.setting, f.metric): f.mean for f in astro}

    def scattered(shift: float) -> list[Run]:
        return [
            Run(Task("published", m, s, k), 0, value[m, s, "nll"] + 0.01 * (-1) ** k + shift,
                value[m, s, "error"] + 0.001 * (-1) ** k, 1.0, "", {})
            for m in ALL for s in EXPERIMENTS["astro"].settings for k in range(10)
        ]  # fmt: skip

    def verdicts(runs: list[Run], *reasons: dict[str, str]) -> Counter:
        return Counter(published.verdict(f, runs, False, list(reasons)) for f in astro)

    assert verdicts(scattered(0.0)) == {published.AGREE: 16}
    assert verdicts(scattered(0.2)) == {published.AGREE: 8, published.NO_REASON: 8}
    # a reason counts where runs without it agree
    row = dict(table="astro", metric="nll", setting="6*", method="*", protocol="right", reason="why",
               found_on="")  # fmt: skip
    assert verdicts(scattered(0.2), row) == {published.AGREE: 8, published.NO_REASON: 8}
    for shift, proved in ((0.2, 0), (0.0, 4)):
        right = [r._replace(task=r.task._replace(protocol="right")) for r in scattered(shift)]
        counts = verdicts(scattered(0.2) + right, row)
        assert counts == Counter({published.AGREE: 8, published.NO_REASON: 8 - proved,
                                  published.REASON: proved})  # fmt: skip
    # ... but not on the figures that it was found on
    counts = verdicts(scattered(0.2) + right, row | {"found_on": "nll 6*"})
    assert counts == {published.AGREE: 8, published.NO_REASON: 4, published.FOUND_HERE: 4}


@pytest.mark.parametrize(("optimum", "found"), [(0.9, published.NO_REASON), (1.1, published.REASON)])
def test_better_than_the_optimum(optimum: float, found: str) -> None:
    """A figure that no method can have on these problems belongs to others.

    The optimum of smoother problems says nothing of those that were described.
    """
    figure = published.Figure("table", "nll", "noise=0.1", "MGP", 1.0, 0.01, 0.0005)
    runs = [
        Run(Task("published", "MGP", "noise=0.1", k), 0, 2.0 + 0.01 * (-1) ** k, 0.5, 1.0, "",
            {"best_nll": optimum + 0.01 * (-1) ** k})
        for k in range(10)
    ]  # fmt: skip
    row = dict(table="*", metric="*", setting="*", method="*", protocol="optimum", reason="why", found_on="")
    easier = [r._replace(task=r.task._replace(protocol="smoother"), detail={"best_nll": 0.1})
              for r in runs]  # fmt: skip
    for some in (runs, runs + easier):
        assert published.verdict(figure, some, False, [row]) == found
        assert published.verdict(figure, some, False, []) == published.NO_REASON
