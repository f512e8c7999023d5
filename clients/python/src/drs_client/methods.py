"""Calls of the service's methods over REST."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

from drs_client.errors import error_of
from drs_client.json_values import JsonObject, JsonValue, members

Query: TypeAlias = "list[tuple[str, str | int | float | bool | None]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method of the REST interface."""

    verb: str
    path: str
    """The path, with the names of fields in braces."""
    has_body: bool = False
    """Whether fields outside of the path go into a JSON body; otherwise they go into the query."""
    in_data: bool = False
    """Whether the result is the member `data` of the body."""
    creates: bool = False
    """Whether it creates something and therefore needs an idempotency key."""
    is_safe: bool = False
    """Whether it changes nothing and may be sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An HTTP request."""

    verb: str
    path: str
    query: Query
    json: JsonObject | None


def call_of(method: Method, fields: Mapping[str, JsonValue]) -> Call:
    """Returns the request of a call, without fields that are None. The names in paths are those of the API."""
    given: JsonObject = {name: value for name, value in fields.items() if value is not None}
    path = method.path
    for name in list(given):
        place = "{" + _snake(name) + "}"
        if place in path:
            path = path.replace(place, quote(str(given.pop(name)), safe=""))
    if method.has_body:
        return Call(verb=method.verb, path=path, query=[], json=given)
    query: Query = []
    for name, value in given.items():
        if isinstance(value, Mapping):
            query.append((name, json.dumps(value)))
        elif isinstance(value, str | int | float):
            query.append((name, _query_text(value)))
        elif isinstance(value, Sequence):
            query.extend((name, str(one)) for one in value)
    return Call(verb=method.verb, path=path, query=query, json=None)


def answer_of(method: Method, body: JsonValue) -> JsonValue:
    """Returns the result of a method from the body. Raises `DrsError` if it is missing."""
    if not method.in_data:
        return body
    data = members(body, "result").get("data")
    if data is None:
        raise error_of("internal", "the service answered without the result")
    return data


def _query_text(value: str | int | float) -> str | int | float:
    return str(value).lower() if isinstance(value, bool) else value


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
