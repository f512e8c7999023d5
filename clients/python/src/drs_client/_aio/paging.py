"""Lists, entry by entry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

from drs_client._aio.runtime import FetchPage

T = TypeVar("T")

#: The service's maximum page size.
_largest_page = 100


async def entries(fetch: FetchPage[T], offset: int | None, limit: int | None) -> AsyncIterator[T]:
    """Yields the entries of a list; each page is fetched when its first entry is needed.

    Entries that are added or removed meanwhile can be missed or seen twice, because pages are counted from the start of
    the list.
    """
    at = offset or 0
    end = None if limit is None else at + limit
    while end is None or at < end:
        page = await fetch(at, _largest_page if end is None else min(_largest_page, end - at))
        for entry in page.data:
            yield entry
        at += len(page.data)
        if not page.data or at >= page.total:
            return
