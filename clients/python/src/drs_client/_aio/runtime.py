"""The part that differs with and without asyncio. `_sync/runtime.py` has the same names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar

import anyio
import anyio.to_thread
import httpx2

if TYPE_CHECKING:
    from drs_client._aio.hits import AsyncHit

T = TypeVar("T")
P = ParamSpec("P")
Entry = TypeVar("Entry", covariant=True)

HttpClient = httpx2.AsyncClient
Transport: TypeAlias = httpx2.AsyncBaseTransport


class Page(Protocol[Entry]):
    """A page of a list."""

    @property
    def total(self) -> int: ...

    @property
    def data(self) -> tuple[Entry, ...]: ...


FetchPage: TypeAlias = Callable[[int, int], Awaitable[Page[T]]]


async def pause(seconds: float) -> None:
    """Waits."""
    await anyio.sleep(seconds)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs blocking work, such as reading a file, in a thread."""
    return await anyio.to_thread.run_sync(lambda: work(*args, **kwargs))


async def run_lanes(count: int, lane: Callable[[Callable[[], None]], Coroutine[Any, Any, None]]) -> None:
    """Runs `count` lanes at a time. The first failure ends the others and is raised; each gets a check for that."""
    try:
        async with anyio.create_task_group() as lanes:
            for _ in range(count):
                lanes.start_soon(lane, _go_on)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


def _go_on() -> None:
    """Does nothing, because the loop cancels tasks itself."""


def picture_for_notebook(hit: AsyncHit) -> bytes | None:
    """Returns only a picture that has been fetched: a notebook asks for HTML and cannot wait."""
    return hit.fetched_picture
