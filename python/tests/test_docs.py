# SPDX-License-Identifier: Apache-2.0
"""The user guide and the examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import nimgp
import nimgp._estimators.classifier
import nimgp._estimators.counts
import nimgp._estimators.multilabel
import nimgp._estimators.ordinal
import nimgp._estimators.regressor
import nimgp.plot
import nimgp.tables._read
from nimgp._estimators.settings import parameter_of
from problems import ESTIMATORS, ROOT

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


MODULES = [
    nimgp._estimators.classifier,
    nimgp._estimators.ordinal,
    nimgp._estimators.multilabel,
    nimgp._estimators.regressor,
    nimgp._estimators.counts,
    nimgp.tables._read,
]


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_docstrings(module):
    failed, tried = doctest.testmod(module, optionflags=FLAGS)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("page, examples", [("python.md", 50), ("datasets.md", 8)])
def test_pages(monkeypatch, tmp_path, page, examples):
    monkeypatch.chdir(tmp_path)
    path = str(ROOT / "docs" / page)
    failed, tried = doctest.testfile(path, module_relative=False, optionflags=FLAGS)
    assert tried > examples and failed == 0


def test_the_first_result_of_a_newcomer(capsys):
    page = (ROOT / "docs" / "guide" / "start.md").read_text()
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    printed = capsys.readouterr().out
    right = float(printed.splitlines()[0].removeprefix("right: "))
    assert f"that {100 * right:.0f} % are right" in page and "'agn' 'pulsar' 'starburst'" in printed


def test_the_example_knows_sharp_from_bad(capsys):
    runpy.run_path(str(ROOT / "examples" / "session.py"))
    sharp, bad, inside = (float(line.split()[-3][:-1]) for line in capsys.readouterr().out.splitlines())
    assert sharp > 0.9 and 0.3 < bad < 0.7 and inside > 0.9


def test_everything_public_is_documented_and_typed():
    assert Path(nimgp.__file__).with_name("py.typed").exists()
    things = [getattr(nimgp, name) for name in nimgp.__all__]
    things += [getattr(nimgp.plot, name) for name in nimgp.plot.__all__]
    for estimator in ESTIMATORS:
        things += [m for n, m in inspect.getmembers(estimator, callable) if n[0] != "_"]
    for thing in things:
        if getattr(thing, "__module__", "").startswith("sklearn."):
            continue
        assert inspect.getdoc(thing), thing
        if inspect.isfunction(thing):
            hints = inspect.signature(thing)
            assert hints.return_annotation is not inspect.Signature.empty, thing
            for parameter in hints.parameters.values():
                assert parameter.name in ("self", "cls") or parameter.annotation is not (
                    inspect.Parameter.empty
                ), (thing, parameter)


def test_errors_are_given_by_keyword():
    """X_err never stands where a sample weight, a class or a number might be meant."""
    things = [getattr(nimgp.plot, name) for name in nimgp.plot.__all__]
    things += [nimgp.neg_log_loss.__call__, nimgp.cross_val_predict]
    for estimator in ESTIMATORS:
        things += [m for n, m in inspect.getmembers(estimator, inspect.isfunction) if n[0] != "_"]
    found = [inspect.signature(thing).parameters.get("X_err") for thing in things]
    kinds = [parameter.kind for parameter in found if parameter is not None]
    assert len(kinds) > 30 and set(kinds) == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_is_explained(estimator):
    text = inspect.getdoc(estimator)
    for name in estimator().get_params():
        assert re.search(rf"^(\w+, )?{name}\b.* : ", text, re.MULTILINE), name
    assert not re.search(r"^\{", text, re.MULTILINE)
    assert text.index("Parameters\n") < text.index("input :") < text.index("Attributes\n")
    assert text.index("Attributes\n") < text.index("elbo_ :") < text.index("Notes\n")


def test_the_tables_of_options_are_the_library_s():
    """docs/options.md has what scripts/options.py writes. Everyday options have a parameter; those for
    research have none."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "options.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs" / "options.md").read_text()
    names = [name for option in nimgp.options() if option.type == "choice" for name in option.choices]
    assert [name for name in names if f"`{name}`" not in page] == []
    offered = {name for estimator in ESTIMATORS for name in [*estimator().get_params(), "likelihood"]}
    for option in nimgp.options():
        has = parameter_of(option.name) in offered
        assert has or option.tier != "everyday", option.name
        assert not has or option.tier != "research", option.name


def test_options_for_experts_stand_apart():
    for estimator in ESTIMATORS:
        text = inspect.getdoc(estimator)
        assert text.index("\nkernel : ") < text.index("\nOther Parameters\n") < text.index("\nalpha : ") < text.index("\nAttributes\n")
        names = [*inspect.signature(estimator).parameters]
        assert names.index("epochs") < names.index("alpha") < names.index("options")
    assert "None: 0.7 if numbers or counts are predicted and inputs are latent" in " ".join(inspect.getdoc(ESTIMATORS[0]).split())