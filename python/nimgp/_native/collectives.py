# SPDX-License-Identifier: Apache-2.0
"""Training by many processes: an mpi4py communicator as the library's ``nim_collectives``."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import core
from .interface import Collectives

CHUNK = 1 << 24  # elements in one call: MPI counts in int
MOST_BYTES = 2**31 - 1


class Team:
    """The processes that train one model together, or only this one if `comm` is None.

    Every process prepares its own rows. A process that fails informs the others, which would
    otherwise wait for it forever. So all communication before the training goes through this class.
    """

    def __init__(self, comm: Any) -> None:
        if comm is not None and not hasattr(comm, "Allgatherv"):
            raise TypeError(f"comm={comm!r} is neither an mpi4py communicator nor None")
        self.comm = comm
        self._left = False  # somebody has failed, and all know

    @property
    def leads(self) -> bool:
        """Whether this process is the one that prints and warns."""
        return self.comm is None or self.comm.Get_rank() == 0

    def exchange(self, what: Any) -> list[Any]:
        """The messages of all processes; ConnectionError if one has failed."""
        if self.comm is None:
            return [what]
        said = self.comm.allgather((True, what))
        self._left = not all(fine for fine, _ in said)
        if self._left:
            first = next(rank for rank, (fine, _) in enumerate(said) if not fine)
            raise ConnectionError(f"process {first} failed: {said[first][1]}")
        return [part for _, part in said]

    def same(self, arrays: Iterable[np.ndarray | None]) -> None:
        """Raises an error unless all processes have the same arrays."""
        if self.comm is None:
            return
        digest = 0
        for array in arrays:
            digest = zlib.crc32(repr(None if array is None else array.shape).encode(), digest)
            if array is not None:
                digest = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), digest)
        if len(set(self.exchange(digest))) > 1:
            raise ValueError("the processes of comm were given different rows; all must have the same")

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Reports an exception raised inside to the other processes."""
        try:
            yield
            self.exchange(None)
        except BaseException as exception:
            if self.comm is not None and not self._left:
                self._left = True
                self.comm.allgather((False, f"{type(exception).__name__}: {exception}"))
            raise


@contextmanager
def lent(comm: Any, model: int) -> Iterator[list[BaseException]]:
    """While open, a model trains over `comm`; the list collects exceptions of the callbacks."""
    raised: list[BaseException] = []
    if comm is None:
        yield raised
        return
    collectives, functions = _collectives(comm, raised)
    core.call("nim_model_set_collectives", model, ctypes.byref(collectives))
    try:
        yield raised
    finally:
        core.call("nim_model_set_collectives", model, None)
        del functions  # they had to live until here


def _collectives(comm: Any, raised: list[BaseException]) -> tuple[Collectives, list[Any]]:
    from mpi4py import MPI

    def reduce(values: int, count: int, operation: Any) -> None:
        whole = _array(values, count, np.int64)
        for first in range(0, count, CHUNK):
            part = whole[first : first + CHUNK]
            comm.Allreduce(MPI.IN_PLACE, [part, MPI.INT64_T], op=operation)

    def sum_up(values: int, count: int, _context: Any) -> int:
        return guarded(lambda: reduce(values, count, MPI.SUM))

    def largest(values: int, count: int, _context: Any) -> int:
        return guarded(lambda: reduce(values, count, MPI.MAX))

    def gather(array: int, offset: int, _context: Any) -> int:
        return guarded(lambda: _gather(comm, array, offset))

    def sum_parts(values: int, offset: int, _context: Any) -> int:
        return guarded(lambda: _sum_parts(comm, values, offset))

    def guarded(work: Callable[[], None]) -> int:
        try:
            work()
        except BaseException as exception:
            raised.append(exception)
        return len(raised)

    kinds: dict[str, Any] = {field[0]: field[1] for field in Collectives._fields_}
    work = {"sum": sum_up, "largest": largest, "gather": gather, "sum_parts": sum_parts}
    functions = {name: kinds[name](function) for name, function in work.items()}
    collectives = Collectives(rank=comm.Get_rank(), processes=comm.Get_size(), **functions)
    return collectives, list(functions.values())


def _array(address: int, count: int, dtype: type) -> np.ndarray:
    kind = np.ctypeslib.as_ctypes_type(dtype)
    return np.ctypeslib.as_array((kind * count).from_address(address))


def _starts(comm: Any, offset: int) -> np.ndarray:
    """Where the processes' parts of an array start, and its end."""
    return _array(offset, comm.Get_size() + 1, np.uintp).astype(np.int64)


def _sum_parts(comm: Any, values: int, offset: int) -> None:
    """Each process receives the sum of its own part."""
    from mpi4py import MPI

    start = _starts(comm, offset)
    whole = _array(values, int(start[-1]), np.int64)
    for rank in range(comm.Get_size()):
        for first in range(int(start[rank]), int(start[rank + 1]), CHUNK):
            part = [whole[first : min(first + CHUNK, int(start[rank + 1]))], MPI.INT64_T]
            if rank == comm.Get_rank():
                comm.Reduce(MPI.IN_PLACE, part, op=MPI.SUM, root=rank)
            else:
                comm.Reduce(part, None, op=MPI.SUM, root=rank)


def _gather(comm: Any, array: int, offset: int) -> None:
    from mpi4py import MPI

    start = _starts(comm, offset)
    whole = _array(array, int(start[-1]), np.uint8)
    if start[-1] <= MOST_BYTES:
        comm.Allgatherv(MPI.IN_PLACE, [whole, np.diff(start), start[:-1], MPI.BYTE])
        return
    for rank in range(comm.Get_size()):
        for first in range(int(start[rank]), int(start[rank + 1]), CHUNK):
            part = whole[first : min(first + CHUNK, int(start[rank + 1]))]
            comm.Bcast([part, MPI.BYTE], root=rank)
