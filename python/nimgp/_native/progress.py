# SPDX-License-Identifier: Apache-2.0
"""Interrupts, progress bars and the history during a training."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple


class Progress(NamedTuple):
    """The progress of a training, passed to the function ``progress``.

    Attributes
    ----------
    epoch, epochs : int
        Completed passes over the data in this training, and their maximum.
    batch, batches : int
        Completed minibatches of the current pass (0 when a pass has just ended), and their number.
        After the last pass, steps of the calibration of class probabilities.
    step : int
        Steps since the model was created.
    bound : float
        The quantity that training maximises, averaged over the last complete epoch.
    rate : float
        Current step size.
    jitter : float
        Largest jitter that was needed so far, relative to the kernel's variance.
    """

    epoch: int
    epochs: int
    batch: int
    batches: int
    step: int
    bound: float
    rate: float
    jitter: float


class Interrupts:
    """Holds back the exception of a signal handler, such as that of Ctrl-C, while C code runs.

    An exception raised inside a callback from C would be lost, and the training would stop and
    seem complete. So within a ``with`` block the handlers only store the exception; the callback
    then asks the library to stop, and the exception is raised at the end of the block. Signals
    arrive in the main thread only; in other threads this class does nothing.
    """

    _SIGNALS = tuple(signal.valid_signals())

    def __init__(self) -> None:
        self.exception: BaseException | None = None
        self._previous: dict[int, Callable[..., Any]] = {}  # handlers in Python, by signal
        self._holds = False  # else a signal arrives while handlers are exchanged: nothing is lost

    def _note(self, number: int, frame: Any) -> None:
        try:
            self._previous[number](number, frame)
        except BaseException as exception:
            if not self._holds:
                raise
            self.exception = exception

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in self._SIGNALS:
                previous = signal.getsignal(number)
                if callable(previous):
                    self._previous[number] = previous
                    signal.signal(number, self._note)
        self._holds = True
        return self

    def __exit__(self, kind: Any, exception: Any, trace: Any) -> None:
        self._holds = False
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._note:  # a handler may have set another
                signal.signal(number, previous)
        if self.exception is not None and exception is None:
            raise self.exception


class _PlainBar:
    """A progress bar for a terminal without tqdm."""

    WIDTH = 30

    def __init__(self, total: int) -> None:
        self.total = max(total, 1)
        self.n = 0
        self.text = ""

    def set_postfix_str(self, text: str, refresh: bool = False) -> None:
        self.text = text

    def update(self, more: int) -> None:
        self.n += more
        done = self.WIDTH * self.n // self.total
        bar = "#" * done + " " * (self.WIDTH - done)
        sys.stderr.write(f"\rnimgp |{bar}| {self.n}/{self.total} epochs, {self.text} ")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


class Bar:
    """Shows the progress on standard error, with tqdm if it is installed."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None:
            self._bar = self._make(progress.epochs)
        self._bar.set_postfix_str(f"bound {progress.bound:.6g}", refresh=False)
        self._bar.update(progress.epoch - self._bar.n)

    @staticmethod
    def _make(epochs: int) -> Any:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _PlainBar(epochs)
        return tqdm(total=epochs, desc="nimgp", unit="epoch")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
