# SPDX-License-Identifier: Apache-2.0
"""Owns a model of the C library."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import core, interface
from .collectives import lent
from .core import call, library, written
from .progress import Interrupts, Progress
from .table import Table, address_of


def name_array(names: Iterable[str]) -> Any:
    coded = []
    for name in names:
        if "\0" in name:
            raise ValueError(f"the name {name!r} holds a zero character")
        coded.append(name.encode())
    return (ctypes.c_char_p * len(coded))(*coded)


class Model:
    """A model of the C library. It can be pickled and copied.

    The predictor is created when it is first needed and kept until the model changes. A lock
    protects the model if several threads predict with it, save it or name its parts.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._predictor: int | None = None
        self._process = os.getpid()
        self._lock = threading.RLock()

    # ------------------------------------------------------------------ making and unmaking

    @classmethod
    def create(cls, options: Mapping[str, str], table: Table) -> Model:
        """An untrained model for these data."""
        chosen = library.nim_options_create()
        if not chosen:
            raise MemoryError("no memory for options")
        try:
            for name, value in options.items():
                call("nim_options_set", chosen, name.encode(), value.encode())
            handle = ctypes.c_void_p()
            call("nim_model_create", chosen, table.reference, ctypes.byref(handle))
        finally:
            library.nim_options_free(chosen)
        return cls(handle.value or 0)

    def learn_population(self, table: Table, others: Table) -> None:
        """Learns the population from the rows of its creation and others, before training."""
        call("nim_model_learn_population", self._handle, table.reference, others.reference)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Loads a model file; OSError if it cannot be read, ValueError if it is not a model."""
        with open(path, "rb"):  # says what is wrong with a path in Python's own words
            pass
        handle = ctypes.c_void_p()
        call("nim_model_load", os.fsencode(path), ctypes.byref(handle))
        return cls(handle.value or 0)

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """The model whose file has this content."""
        handle = ctypes.c_void_p()
        call("nim_model_load_memory", content, len(content), ctypes.byref(handle))
        return cls(handle.value or 0)

    def __reduce__(self) -> tuple[Callable[[bytes], Model], tuple[bytes]]:
        return Model.from_bytes, (self.to_bytes(),)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", 0)
        if handle and library is not None:
            self._forget_predictor()
            library.nim_model_free(handle)
            self._handle = 0

    def save(self, path: str | os.PathLike[str]) -> None:
        with self._own_process()._lock:
            call("nim_model_save", self._handle, os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The content of the model's file."""
        size = ctypes.c_size_t()
        with self.alone():
            call("nim_model_save_memory", self._handle, None, 0, ctypes.byref(size))
            content = ctypes.create_string_buffer(size.value)
            call("nim_model_save_memory", self._handle, content, size, None)
        return content.raw

    # ------------------------------------------------------------------ training

    def train(
        self,
        table: Table,
        watch: Callable[[Progress, int], Any] | None = None,
        comm: Any = None,
    ) -> bool:
        """Trains the model; True if the training is complete, False if it was stopped.

        `watch` is called with the progress and the number of epochs since the model was created;
        training stops if it returns a true value. An exception in it, or an interrupt, also stops
        the training and is then raised here. With `comm`, the processes of that communicator train
        together.
        """
        raised: list[BaseException] = []
        with (
            self._own_process()._lock,
            lent(comm, self._handle) as lost,
            Interrupts() as interrupts,
        ):
            self._forget_predictor()

            def tell(progress: Any, _context: Any) -> int:
                try:
                    stop = False
                    if watch is not None:
                        at = progress.contents
                        stop = watch(
                            Progress(*(getattr(at, field) for field in Progress._fields)),
                            library.nim_model_epochs(self._handle),
                        )
                        self._forget_predictor()  # it may have looked; the model moves on
                except BaseException as exception:
                    raised.append(exception)
                return bool(raised or stop or interrupts.exception)

            error = interface.Error()
            status = library.nim_model_train(
                self._handle,
                table.reference,
                interface.ProgressFunction(tell),
                None,
                ctypes.byref(error),
            )
        if raised:
            raise raised[0]
        if status not in (core.OK, core.CANCELLED):
            raise core.exception(status, error) from (lost[0] if lost else None)
        return status == core.OK

    # ------------------------------------------------------------------ looking into it

    @property
    def target(self) -> str:
        """What it predicts: "class", "level", "labels", "number" or "count"."""
        return core.TARGETS[library.nim_model_target(self._handle)]

    @property
    def functions(self) -> int:
        return library.nim_model_functions(self._handle)

    @property
    def classes(self) -> int:
        return library.nim_model_classes(self._handle)

    @property
    def attributes(self) -> int:
        return library.nim_model_attributes(self._handle)

    @property
    def inducing(self) -> int:
        return library.nim_model_inducing(self._handle)

    @property
    def epochs(self) -> int:
        return library.nim_model_epochs(self._handle)

    @property
    def rows(self) -> int:
        return library.nim_model_rows(self._handle)

    @property
    def under_way(self) -> bool:
        return bool(library.nim_model_under_way(self._handle))

    @property
    def bound(self) -> float:
        return library.nim_model_bound(self._handle)

    def get(self, name: str, *shape: int) -> np.ndarray:
        """An array of nim_model_get; flat unless a shape is given."""
        count = ctypes.c_size_t()
        call("nim_model_get", self._handle, name.encode(), None, 0, ctypes.byref(count))
        values = np.empty(count.value)
        place = address_of(values), count.value
        call("nim_model_get", self._handle, name.encode(), *place, None)
        return values.reshape(shape) if shape else values

    def option(self, name: str) -> str:
        text = ctypes.create_string_buffer(128)
        options = library.nim_model_options(self._handle)
        call("nim_options_get", options, name.encode(), text, len(text))
        return text.value.decode()

    def request(self, name: str) -> str:
        """An option as the user set it, where :meth:`option` is what was decided."""
        text = ctypes.create_string_buffer(128)
        options = library.nim_model_request(self._handle)
        call("nim_options_get", options, name.encode(), text, len(text))
        return text.value.decode()

    def idle(self, name: str) -> str:
        """Why an option has no effect on this model; empty if it may have one."""
        return written(library.nim_model_idle, self._handle, name.encode())

    def view(self, k: int) -> str:
        """What fit `k` of a panel sees of the rows."""
        return written(library.nim_model_view, self._handle, k)

    def set_option(self, name: str, value: str) -> None:
        with self._own_process()._lock:
            call("nim_model_set_option", self._handle, name.encode(), value.encode())
            self._forget_predictor()

    def note(self, key: str) -> str | None:
        with self.alone():
            text = library.nim_model_note(self._handle, key.encode())
        return None if text is None else text.decode()

    def set_note(self, key: str, text: str | None) -> None:
        coded = None if text is None else text.encode()
        with self.alone():
            call("nim_model_set_note", self._handle, key.encode(), coded)

    @property
    def attribute_names(self) -> list[str]:
        with self.alone():
            every = range(self.attributes)
            return [library.nim_model_attribute_name(self._handle, j).decode() for j in every]

    @attribute_names.setter
    def attribute_names(self, names: Iterable[str]) -> None:
        with self.alone():
            call("nim_model_name_attributes", self._handle, name_array(names))

    @property
    def class_names(self) -> list[str]:
        with self.alone():
            every = range(self.classes)
            return [library.nim_model_class_name(self._handle, c).decode() for c in every]

    @class_names.setter
    def class_names(self, names: Iterable[str]) -> None:
        with self.alone():
            call("nim_model_name_classes", self._handle, name_array(names))

    # ------------------------------------------------------------------ using it

    def predict(
        self,
        table: Table,
        *wanted: str,
        levels: np.ndarray | None = None,
        grid: np.ndarray | None = None,
        coverage: float = 0.0,
        shares: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """The requested members of nim_prediction, by name; quantiles at `levels`, the same for all
        rows or those of each row, densities at `grid`, intervals of this `coverage`, and
        probabilities for these class `shares`."""
        rows = table.x.shape[0]
        wide = {
            "probabilities": self.classes,
            "plausibility": self.classes,
            "latent_mean": self.functions,
            "latent_variance": self.functions,
            "quantiles": 0 if levels is None else levels.shape[-1],
            "interval": 2,
            "fit_weights": self.get("panel_weights").size // 2 if "fit_weights" in wanted else 0,
            "density": 0 if grid is None else len(grid),
        }
        result = {name: np.empty((rows, wide[name]) if name in wide else rows) for name in wanted}
        asked: dict[str, Any] = {"coverage": coverage}
        if levels is not None:
            asked |= {"levels": address_of(levels), "level_count": levels.shape[-1]}
            asked |= {"level_rows": len(levels) if levels.ndim > 1 else 0}
        if grid is not None:
            asked |= {"grid": address_of(grid), "grid_count": len(grid)}
        if not rows:  # which the library refuses
            return result
        places = {name: address_of(array) for name, array in result.items()}
        prediction = ctypes.byref(interface.Prediction(**places, **asked))
        with self._interruptible() as predictor:
            call("nim_predictor_set_shares", predictor, address_of(shares))
            call("nim_predict", predictor, table.reference, prediction)
        return result

    def estimate_shares(self, probabilities: np.ndarray) -> np.ndarray:
        """The maximum-likelihood class shares of rows with these probabilities."""
        shares = np.empty(self.classes)
        rows = len(probabilities)
        call(
            "nim_model_estimate_shares",
            self._handle,
            rows,
            address_of(probabilities),
            address_of(shares),
        )
        return shares

    def remeasure(self, table: Table) -> np.ndarray:
        gain = np.empty(table.x.shape)
        if not len(gain):
            return gain
        with self._interruptible() as predictor:
            call("nim_remeasure", predictor, table.reference, address_of(gain))
        return gain

    def denoise(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        mean, deviation = np.empty(table.x.shape), np.empty(table.x.shape)
        places = address_of(mean), address_of(deviation)
        with self.alone():
            call("nim_model_denoise", self._handle, table.reference, *places)
        return mean, deviation

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Locks the model against other threads."""
        with self._own_process()._lock:
            yield

    @contextlib.contextmanager
    def predictor(self) -> Iterator[tuple[int, int]]:
        """The handles of model and predictor, locked against other threads."""
        with self._own_process()._lock:
            yield self._handle, self._ready()

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[int]:
        """The predictor, locked against other threads; an interrupt stops its computation."""
        with self._own_process()._lock, Interrupts() as interrupts:
            predictor = self._ready()
            tell = interface.ProgressFunction(lambda _progress, _context: bool(interrupts.exception))
            call("nim_predictor_set_progress", predictor, tell, None)
            try:
                yield predictor
            except core.Cancelled:
                pass  # the exception of the interrupt follows
            finally:
                call("nim_predictor_set_progress", predictor, interface.ProgressFunction(), None)

    def _ready(self) -> int:
        if self._predictor is None:
            predictor = ctypes.c_void_p()
            call("nim_predictor_create", self._handle, ctypes.byref(predictor))
            self._predictor = predictor.value
        return self._predictor or 0

    def _own_process(self) -> Model:
        """Replaces predictor and lock after a fork, which does not copy the predictor's threads."""
        if self._process != os.getpid():
            self._predictor, self._process, self._lock = None, os.getpid(), threading.RLock()
        return self

    def _forget_predictor(self) -> None:
        self._own_process()
        if self._predictor is not None:
            library.nim_predictor_free(self._predictor)
            self._predictor = None
