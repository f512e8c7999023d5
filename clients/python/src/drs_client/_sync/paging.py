# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.
"""Lists, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from drs_client._sync.runtime import FetchPage

T = TypeVar("T")

#: The service's maximum page size.
_largest_page = 100


def entries(fetch: FetchPage[T], offset: int | None, limit: int | None) -> Iterator[T]:
    """Yields the entries of a list; each page is fetched when its first entry is needed.

    Entries that are added or removed meanwhile can be missed or seen twice, because pages are counted from the start of
    the list.
    """
    at = offset or 0
    end = None if limit is None else at + limit
    while end is None or at < end:
        page = fetch(at, _largest_page if end is None else min(_largest_page, end - at))
        for entry in page.data:
            yield entry
        at += len(page.data)
        if not page.data or at >= page.total:
            return
