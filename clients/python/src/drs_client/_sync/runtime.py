"""The part that differs with and without asyncio. `_aio/runtime.py` has the same names."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeAlias, TypeVar

import httpx2

from drs_client.errors import DrsError
from drs_client.notebook import notebook_width

if TYPE_CHECKING:
    from drs_client._sync.hits import Hit

T = TypeVar("T")
P = ParamSpec("P")
Entry = TypeVar("Entry", covariant=True)

HttpClient = httpx2.Client
Transport: TypeAlias = httpx2.BaseTransport


class Page(Protocol[Entry]):
    """A page of a list."""

    @property
    def total(self) -> int: ...

    @property
    def data(self) -> tuple[Entry, ...]: ...


FetchPage: TypeAlias = Callable[[int, int], Page[T]]


def pause(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs the work in this thread, because nothing else waits for it."""
    return work(*args, **kwargs)


class _Stopped(Exception):  # noqa: N818
    """Another lane has failed."""


def run_lanes(count: int, lane: Callable[[Callable[[], None]], None]) -> None:
    """Runs `count` lanes at a time. The first failure ends the others and is raised; each gets a check for that."""
    stop = threading.Event()

    def go_on() -> None:
        if stop.is_set():
            raise _Stopped

    with ThreadPoolExecutor(count, thread_name_prefix="drs-upload") as pool:
        futures = [pool.submit(lane, go_on) for _ in range(count)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            # Also after Ctrl-C, which the lanes notice at their next piece.
            stop.set()
    failures = [failure for failure in (future.exception() for future in futures) if failure is not None]
    for failure in failures:
        if not isinstance(failure, _Stopped):
            raise failure


def picture_for_notebook(hit: Hit) -> bytes | None:
    """Fetches the picture now, so that the notebook keeps it when the link has expired."""
    if hit.item.row != "jpg" or hit.fetched_picture is not None:
        return hit.fetched_picture
    try:
        return hit.picture(notebook_width)
    except DrsError:
        # The link in the HTML may still work.
        return None
