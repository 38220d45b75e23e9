# SPDX-License-Identifier: Apache-2.0
"""Pictures show what they say."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from nimgp import NoisyGPClassifier, NoisyGPCountRegressor, NoisyGPRegressor, plot
from problems import make_targets


@pytest.fixture
def clf(problem):
    frame = pd.DataFrame(problem.X, columns=["flux", "index"])
    clf = NoisyGPClassifier(noise="both", epochs=40, calibrate=False, random_state=0)
    return clf.fit(frame, problem.y, X_err=problem.sigma)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_class_probabilities(clf, problem):
    frame = pd.DataFrame(problem.X, columns=["flux", "index"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot.class_probabilities(clf, "index", frame, problem.y, X_err=problem.sigma)
    assert ax.get_xlabel() == "index"
    curves = [line for line in ax.lines if len(line.get_xdata()) == 200]
    assert len(curves) == 3
    total = sum(np.asarray(curve.get_ydata()) for curve in curves)
    assert np.allclose(total, 1)
    middle = np.median(problem.X[:, 0])
    wanted = clf.predict_proba(
        pd.DataFrame({"flux": middle, "index": curves[0].get_xdata()}), X_err=0
    )
    assert np.allclose(curves[0].get_ydata(), wanted[:, 0])
    (own,) = [plot.class_probabilities(clf, 1, frame, ax=pyplot.figure().gca())]
    assert own.get_xlabel() == "index"
    with pytest.raises(ValueError, match="no feature 'colour'; the features are flux, index"):
        plot.class_probabilities(clf, "colour", frame)
    with pytest.raises(ValueError, match="feature 2 is out of range"):
        plot.class_probabilities(clf, 2, frame)


@pytest.mark.parametrize("kind", [NoisyGPRegressor, NoisyGPCountRegressor])
def test_numbers(kind):
    X, y, sigma, _ = make_targets(kind)
    frame = pd.DataFrame(X, columns=["flux", "index"])
    model = kind(epochs=20, random_state=0).fit(frame, y, X_err=sigma)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot.numbers(model, "flux", frame, y, X_err=sigma, level=0.8, points=50)
    line, mean = ax.lines[0].get_data()
    way = pd.DataFrame({"flux": line, "index": np.median(X[:, 1])})
    assert np.array_equal(mean, model.predict(way, X_err=0))
    band = ax.collections[0].get_paths()[0].vertices
    low, high = model.predict_quantiles(way, (0.1, 0.9), X_err=0).T
    assert np.isclose(band[:, 1].min(), low.min()) and np.isclose(band[:, 1].max(), high.max())
    assert np.array_equal(ax.lines[1].get_ydata(), y) and ax.get_xlabel() == "flux"


def test_reliability(clf, problem):
    frame = pd.DataFrame(problem.X, columns=["flux", "index"])
    ax = plot.reliability(clf, frame, problem.y, X_err=problem.sigma, bins=5)
    said, seen = ax.lines[1].get_xdata(), ax.lines[1].get_ydata()
    assert len(said) <= 5 and (np.diff(said) > 0).all()
    assert ((seen >= 0) & (seen <= 1)).all()
    p = clf.predict_proba(frame, X_err=problem.sigma)
    last = p >= 0.8
    hit = problem.y[:, None] == clf.classes_
    assert np.isclose(said[-1], p[last].mean()) and np.isclose(seen[-1], hit[last].mean())


def test_relevance(clf, problem):
    ax = plot.relevance(clf)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths[:2] == clf.relevance_.tolist() and len(widths) == 4
    assert [text.get_text() for text in ax.get_yticklabels()] == ["flux", "index"]
    plain = NoisyGPClassifier(epochs=5, calibrate=False).fit(problem.X, problem.y)
    ax = plot.relevance(plain)
    assert len(ax.patches) == 2
    assert [text.get_text() for text in ax.get_yticklabels()] == ["x0", "x1"]


def test_learning_curve(clf, tmp_path):
    ax = plot.learning_curve(clf, skip=0)
    assert np.array_equal(np.transpose(ax.lines[0].get_data()), clf.history_)
    clf.save(tmp_path / "m")
    with pytest.raises(ValueError, match="no history"):
        plot.learning_curve(NoisyGPClassifier.load(tmp_path / "m"))


def test_without_matplotlib(clf, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install nimgp\[plot\]"):
        plot.learning_curve(clf)
