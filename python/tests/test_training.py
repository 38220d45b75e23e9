# SPDX-License-Identifier: Apache-2.0
"""Training: going on, stopping, and being watched."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nimgp import NoisyGPClassifier
from nimgp._estimators.settings import threads

QUICK = {"epochs": 30, "calibrate": False, "random_state": 0, "n_jobs": 1}


def test_interrupt_stops_and_training_goes_on_to_the_same_bits(problem):
    X, y, sigma, _ = problem
    whole = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)

    def interrupt(progress):
        if progress.epoch == 11 and progress.batch == 0:
            os.kill(os.getpid(), signal.SIGINT)

    clf = NoisyGPClassifier(progress=interrupt, warm_start=True, **QUICK)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y, X_err=sigma)
    assert signal.getsignal(signal.SIGINT) is before
    assert 11 <= clf.n_iter_ < 30
    assert np.isfinite(clf.predict_proba(X, X_err=sigma)).all()
    clf.set_params(progress=False).fit(X, y, X_err=sigma)
    assert clf.n_iter_ == 30
    assert np.array_equal(clf.predict_proba(X, X_err=sigma), whole.predict_proba(X, X_err=sigma))
    assert np.array_equal(clf.history_, whole.history_)


def test_interrupt_from_outside_without_a_callback():
    program = """
import sys, threading, time
import numpy as np
from nimgp import NoisyGPClassifier
from nimgp._estimators.settings import threads
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
clf = NoisyGPClassifier(epochs=1000000, stop="fixed", random_state=0)
def announce():
    while not (hasattr(clf, "_model") and clf._model.epochs):
        time.sleep(0.01)
    print("training", flush=True)
threading.Thread(target=announce).start()
try:
    clf.fit(X, X[:, 0] > 0)
except KeyboardInterrupt:
    print("stopped", 0 < clf.n_iter_ < 1000000, clf.predict([[1.0, 0.0]])[0])
"""
    with subprocess.Popen([sys.executable, "-c", program], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        assert process.stdout.readline() == "training\n"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (out, errors, process.returncode) == ("stopped True True\n", "", 0)


def test_interrupt_stops_a_prediction():
    program = """
import threading, time
import numpy as np
from nimgp import NoisyGPClassifier
X = np.random.default_rng(0).normal(size=(60, 2))
clf = NoisyGPClassifier(epochs=2, stop="fixed", calibrate=False, input="latent", points=65536, random_state=0)
clf.fit(X, X[:, 0] > 0, X_err=[0.1, 0.1])
before = clf.predict_proba(X[:2], X_err=[0.1, 0.1])
hours = np.tile(X, (20000, 1))
def announce():
    time.sleep(0.5)
    print("predicting", flush=True)
for question in (clf.predict_proba, clf.remeasure):
    threading.Thread(target=announce).start()
    try:
        question(hours, X_err=[0.1, 0.1])
    except KeyboardInterrupt:
        print("stopped", np.array_equal(clf.predict_proba(X[:2], X_err=[0.1, 0.1]), before), flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        for _ in range(2):
            assert process.stdout.readline() == "predicting\n"
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "stopped True\n"
        out, errors = process.communicate(timeout=60)
    assert (out, errors, process.returncode) == ("", "", 0)


def test_own_handlers_are_asked(problem):
    """A handler that does not raise does not stop the training; one that does, with its own."""
    X, y, sigma, _ = problem

    def interrupt(progress):
        if progress.epoch == 3:
            signal.raise_signal(signal.SIGINT)

    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        clf = NoisyGPClassifier(progress=interrupt, **QUICK).fit(X, y, X_err=sigma)
        assert calls and clf.n_iter_ == 30

        def leave(*_):
            raise SystemExit(5)

        signal.signal(signal.SIGINT, leave)
        with pytest.raises(SystemExit):
            clf.fit(X, y, X_err=sigma)
    finally:
        signal.signal(signal.SIGINT, before)


def test_exceptions_of_other_signals_are_raised(problem):
    """Here that of an alarm, without a progress function: it was lost, and the fit seemed complete."""
    X, y, sigma, _ = problem

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    clf = NoisyGPClassifier(**QUICK | {"epochs": 20000, "stop": "fixed"})
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            clf.fit(X, y, X_err=sigma)
        assert signal.getsignal(signal.SIGALRM) is late
        assert clf.n_iter_ < 20000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_progress_is_told_and_may_stop(problem):
    X, y, sigma, _ = problem
    told = []
    clf = NoisyGPClassifier(progress=told.append, batch=50, **QUICK).fit(X, y, X_err=sigma)
    ends = [p for p in told if p.batch == 0]
    assert [p.epoch for p in ends] == list(range(1, 31))
    assert told[-1].bound == clf.elbo_ and told[0].epochs == 30 and told[0].batches == 3
    assert told[-1].step == 90
    clf.set_params(progress=lambda p: p.epoch >= 7).fit(X, y, X_err=sigma)
    assert clf.n_iter_ == 7 and clf.predict(X, X_err=sigma).shape == (120,)

    def fail(progress):
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine"):
        clf.set_params(progress=fail).fit(X, y, X_err=sigma)


def calibrates(progress):
    return progress.epoch == progress.epochs and progress.batch > 0


def test_calibration_is_told_and_may_be_stopped(problem):
    """It is no epoch, and does not look like a training that ended unsettled."""
    X, y, sigma, _ = (array[:50] for array in problem)
    told = []
    settings = {"epochs": 4, "stop": "fixed", "random_state": 0, "n_jobs": 1}
    clf = NoisyGPClassifier(progress=told.append, **settings).fit(X, y, X_err=sigma)
    calibrating = [p for p in told if calibrates(p)]
    assert calibrating and told[-len(calibrating) :] == calibrating
    assert clf.history_[:, 0].tolist() == [1, 2, 3, 4] and clf.temperature_ != 1
    stopped = NoisyGPClassifier(progress=calibrates, warm_start=True, **settings)
    stopped.fit(X, y, X_err=sigma)
    assert stopped.n_iter_ == 4 and stopped.temperature_ == 1
    stopped.set_params(progress=False).fit(X, y, X_err=sigma)
    assert stopped.n_iter_ == 4 and stopped.temperature_ == clf.temperature_
    assert np.array_equal(stopped.predict_proba(X, X_err=sigma), clf.predict_proba(X, X_err=sigma))


def test_a_settled_training_that_is_calibrated_is_not_unsettled(problem):
    X, y, _, _ = (array[:50] for array in problem)
    clf = NoisyGPClassifier(inducing=3, rate=0.2, epochs=20000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.fit(X, y)
    assert clf.n_iter_ < 20000 and clf.temperature_ != 1


def test_what_the_library_chose_stays_in_a_warm_start(problem):
    """Also where it would choose otherwise for the new rows; what is set now changes as ever."""
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(warm_start=True, **QUICK).fit(X[:80], y[:80], X_err=sigma[:80])
    model = clf._model
    assert (model.option("input"), model.option("batch")) == ("marginal", "50")
    clf.set_params(batch=30, epochs=2).fit(X, y)
    assert clf._model is model and model.option("batch") == "30" and clf.n_iter_ == 32
    assert model.option("input") == "marginal"
    with pytest.raises(ValueError, match="alpha=0.5: option alpha: it cannot change after the model was created"):
        clf.set_params(alpha=0.5).fit(X, y)


def test_progress_may_look_at_the_classifier(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK)
    seen = []
    clf.progress = lambda p: seen.append(clf.predict_proba(X, X_err=0)) if p.epoch == 5 else None
    clf.fit(X, y)
    short = NoisyGPClassifier(progress=lambda p: p.epoch == 5, **QUICK).fit(X, y)
    assert np.array_equal(seen[0], short.predict_proba(X))
    plain = NoisyGPClassifier(**QUICK).fit(X, y)
    assert np.array_equal(clf.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("tqdm", [True, False])
def test_bar(problem, capsys, monkeypatch, tqdm):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    NoisyGPClassifier(progress=True, **QUICK).fit(problem.X, problem.y)
    shown = capsys.readouterr()
    assert "30/30" in shown.err and "bound" in shown.err and shown.out == ""


def test_silent_otherwise(problem, capfd):
    NoisyGPClassifier(**QUICK).fit(problem.X, problem.y).predict(problem.X)
    assert capfd.readouterr() == ("", "")


def test_warm_start_goes_on(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(warm_start=True, stop="fixed", **QUICK).fit(X[:80], y[:80], X_err=sigma[:80])
    first = clf.elbo_ / 80
    clf.fit(X, y, X_err=sigma)
    assert clf.n_iter_ == 60 and clf.history_[:, 0].tolist() == list(range(1, 61))
    assert clf.elbo_ / 120 > first
    assert clf.denoise(X, y, X_err=sigma).mean.shape == X.shape
    clf.set_params(epochs=5, rate=0.001).fit(X, y, X_err=sigma)
    assert clf.n_iter_ == 65
    with pytest.raises(ValueError, match="kernel='matern52': option kernel: it cannot change after the model was created"):
        clf.set_params(kernel="matern52").fit(X, y, X_err=sigma)
    with pytest.raises(ValueError, match="80 rows, but the model was trained on 120 before"):
        clf.set_params(kernel="auto").fit(X[:80], y[:80], X_err=sigma[:80])
    clf.set_params(warm_start=False).fit(X[:80], y[:80], X_err=sigma[:80])
    assert clf.n_iter_ == 5


def test_partial_fit_adds_rows(problem):
    X, y, sigma, _ = problem
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        NoisyGPClassifier(**QUICK).partial_fit(X, y)
    clf = NoisyGPClassifier(**QUICK)
    some = np.flatnonzero(y != "west")[:40]
    clf.partial_fit(X[some], y[some], classes=["west", "east", "north"], X_err=sigma[some])
    assert clf.classes_.tolist() == ["east", "north", "west"]
    with pytest.raises(ValueError, match="differ from those of the first call"):
        clf.partial_fit(X, y, classes=["east", "north"])
    clf.partial_fit(X, y, X_err=sigma)
    warm = NoisyGPClassifier(warm_start=True, **QUICK)
    warm.partial_fit(X[some], y[some], classes=clf.classes_, X_err=sigma[some])
    both_X, both_y, both_sigma = (np.concatenate([a[some], a]) for a in (X, y, sigma))
    warm.fit(both_X, both_y, X_err=both_sigma)
    assert np.array_equal(clf.predict_proba(X, X_err=sigma), warm.predict_proba(X, X_err=sigma))


def test_partial_fit_after_fit_and_with_other_errors(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK).fit(X[:60], y[:60])
    clf.partial_fit(X[60:], y[60:], X_err=0.2, sample_weight=np.full(60, 2.0))
    other = NoisyGPClassifier(warm_start=True, **QUICK).fit(X[:60], y[:60])
    errors = np.repeat([[0.0, 0.0], [0.2, 0.2]], 60, axis=0)
    other.fit(X, y, X_err=errors, sample_weight=np.repeat([1.0, 2.0], 60))
    assert np.array_equal(clf.predict_proba(X, X_err=sigma), other.predict_proba(X, X_err=sigma))


def test_threads_do_not_matter(problem, monkeypatch):
    X, y, sigma, _ = problem
    results = []
    for n_jobs in (1, 2, 3, -1, None):
        clf = NoisyGPClassifier(**{**QUICK, "n_jobs": n_jobs}).fit(X, y, X_err=sigma)
        results.append(clf.predict_proba(X, X_err=sigma))
    assert all(np.array_equal(result, results[0]) for result in results)
    clf.set_params(n_jobs=1)
    assert np.array_equal(clf.predict_proba(X, X_err=sigma), results[0])
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads(None) == 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert threads(None) == 0


def test_points_may_change_after_fit(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(points=16, **QUICK).fit(X, y, X_err=sigma)
    few = clf.predict_proba(X, X_err=sigma)
    many = clf.set_params(points=4096).predict_proba(X, X_err=sigma)
    assert 0 < np.abs(many - few).max() < 0.2
    assert np.array_equal(clf.set_params(points=16).predict_proba(X, X_err=sigma), few)


def test_rows_choose_their_points(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    assert clf.points is None and clf.tolerance == 0.002
    chosen = clf.predict_proba(X, X_err=sigma)
    rough = clf.set_params(tolerance=0.05).predict_proba(X, X_err=sigma)
    limit = clf.set_params(points=16384).predict_proba(X, X_err=sigma)
    assert np.quantile(np.abs(chosen - limit), 0.99) < 0.002
    assert np.quantile(np.abs(rough - limit), 0.99) < 0.05
    assert np.abs(rough - limit).max() > np.abs(chosen - limit).max()
    with pytest.raises(ValueError, match="tolerance"):
        clf.set_params(points=None, tolerance=0.0).predict_proba(X, X_err=sigma)


def test_several_threads_predict_at_once(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    wanted, results = clf.predict_proba(X, X_err=sigma), []
    crowd = [
        threading.Thread(target=lambda: results.append(clf.predict_proba(X, X_err=sigma)))
        for _ in range(8)
    ]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert len(results) == 8 and all(np.array_equal(result, wanted) for result in results)


def _predict_in_child(clf, X, sigma, queue):
    queue.put(clf.predict_proba(X, X_err=sigma))


def test_predicts_after_a_fork(problem):
    """The parent's predictor has threads that a child does not."""
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**{**QUICK, "n_jobs": 2}).fit(X, y, X_err=sigma)
    wanted = clf.predict_proba(X, X_err=sigma)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_predict_in_child, args=(clf, X, sigma, queue))
    child.start()
    assert np.array_equal(queue.get(timeout=60), wanted)
    child.join()
    assert child.exitcode == 0


def test_rows_are_added_only_when_they_were_learned(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK, progress=lambda p: p.epoch == 9).fit(
        X[:90], y[:90], X_err=sigma[:90]
    )
    with pytest.raises(ValueError, match="training on 90 rows was stopped; finish it"):
        clf.partial_fit(X[90:], y[90:], X_err=sigma[90:])
    clf.set_params(progress=False, warm_start=True)
    with pytest.raises(ValueError, match="can only continue with the same data; these data differ"):
        clf.fit(X[30:], y[30:], X_err=sigma[30:])
    clf.fit(X[:90], y[:90], X_err=sigma[:90]).partial_fit(X[90:], y[90:], X_err=sigma[90:])
    other = NoisyGPClassifier(**QUICK).fit(X[:90], y[:90], X_err=sigma[:90])
    other.partial_fit(X[90:], y[90:], X_err=sigma[90:])
    assert np.array_equal(clf.predict_proba(X, X_err=sigma), other.predict_proba(X, X_err=sigma))


def test_a_refused_fit_leaves_the_classifier_as_it_was(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    before = clf.predict(X, X_err=sigma)
    with pytest.raises(ValueError, match="more than the 120 rows"):
        clf.set_params(inducing=500).fit(X, np.roll(y == "east", 1), X_err=sigma)
    assert np.array_equal(clf.predict(X, X_err=sigma), before)


def test_many_rows_are_predicted_as_few(problem):
    """Rows go to the library in portions."""
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(points=8, **QUICK).fit(X, y, X_err=sigma)
    many = np.arange(5000) % 120
    assert np.array_equal(
        clf.predict_proba(X[many], X_err=sigma[many]), clf.predict_proba(X, X_err=sigma)[many]
    )
    assert np.array_equal(clf.remeasure(X, X_err=sigma[0])[40:], clf.remeasure(X[40:], X_err=sigma[0]))


def test_a_training_that_ends_unsettled_is_told(problem):
    X, y, sigma, _ = problem
    settings = {"input": "exact", "inducing": 5, "random_state": 0, "rate": 0.2,
                "calibrate": False}  # fmt: skip
    brief = NoisyGPClassifier(epochs=3, **settings)
    with pytest.warns(ConvergenceWarning, match="after 3 epochs, while the bound was still") as caught:
        brief.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NoisyGPClassifier(epochs=3, stop="fixed", **settings).fit(X, y)
        NoisyGPClassifier(epochs=3, progress=lambda at: True, **settings).fit(X, y)
        settled = NoisyGPClassifier(epochs=20000, **settings).fit(X, y)
    assert 3 < settled.n_iter_ < 20000
