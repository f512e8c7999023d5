"""Several searches in one request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drs_client.gen import types
from drs_client.pictures import Picture, picture_url


@dataclass(frozen=True, slots=True)
class Query:
    """One of several searches, with the arguments of `search`."""

    query: str | None = None
    image: Picture | None = None
    dataset_ids: str | Sequence[str] | None = None
    filter: Mapping[str, Any] | None = None
    file_ext: str | Sequence[str] | None = None
    limit: int | None = None
    row: types.ItemRow | None = None
    include: types.Include | Sequence[types.Include] | None = None
    min_score: float | None = None
    neighbours: int | None = None
    picture_width: int | None = None
    explain: bool | None = None
    expires_in_seconds: int | None = None


def request_of(asked: str | Query) -> types.SearchRequest:
    """Returns the message for a search. Reads picture files.

    Raises:
        ValueError: There are neither words nor a picture.
        TypeError: The picture has an unsupported type.
    """
    query = Query(asked) if isinstance(asked, str) else asked
    if query.query is None and query.image is None:
        raise ValueError("search for words, for an image, or for both")
    url = "" if query.image is None else picture_url(query.image)
    return types.SearchRequest(
        query=types.SearchQuery(text=query.query or "", image_url=url),
        dataset_ids=_several(query.dataset_ids),
        filter=query.filter,
        file_ext=_several(query.file_ext),
        limit=query.limit,
        row=query.row,
        include=_included(query.include),
        min_score=query.min_score,
        neighbours=query.neighbours,
        picture_width=query.picture_width,
        explain=query.explain,
        expires_in_seconds=query.expires_in_seconds,
    )


def answer_of(outcome: types.SearchOutcome) -> types.SearchResponse:
    """Returns the outcome of a successful search in the form of a single search."""
    return types.SearchResponse(
        total=outcome.total,
        data=outcome.data,
        incomplete=outcome.incomplete,
        incomplete_dataset_ids=outcome.incomplete_dataset_ids,
    )


def _several(words: str | Sequence[str] | None) -> tuple[str, ...]:
    if words is None:
        return ()
    return (words,) if isinstance(words, str) else tuple(words)


def _included(include: types.Include | Sequence[types.Include] | None) -> tuple[types.Include, ...]:
    if include is None:
        return ()
    return (include,) if isinstance(include, str) else tuple(include)
