"""Converts JSON to typed values and back, for the generated code."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from drs_client.errors import DrsError, error_of

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"

T = TypeVar("T")
Read: TypeAlias = Callable[[JsonValue], T]


def members(value: JsonValue, what: str) -> Mapping[str, JsonValue]:
    """Returns the members of an object. Raises `DrsError` if it is not one."""
    if isinstance(value, Mapping):
        return value
    raise error_of("internal", f"the service answered without the {what}")


def need(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> T:
    """Reads a member that the service always sends; if an older version did not, the default of its type."""
    return read(of.get(name))


def maybe(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> T | None:
    """Reads a member that may be missing or null."""
    value = of.get(name)
    return None if value is None else read(value)


def many(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> tuple[T, ...]:
    """Reads the elements of a list, which may be missing."""
    value = of.get(name)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _unfit(value, "a list")
    return tuple(read(one) for one in value)


def mapping(read: Read[T]) -> Read[Mapping[str, T]]:
    """Creates a reader of objects whose members all have the same type."""

    def read_all(value: JsonValue) -> Mapping[str, T]:
        return {} if value is None else {name: read(one) for name, one in members(value, "object").items()}

    return read_all


def any_json(value: JsonValue) -> JsonValue:
    """Reads any value."""
    return value


def any_object(value: JsonValue) -> Mapping[str, Any]:
    """Reads an object with any members; null becomes an empty one."""
    return {} if value is None else members(value, "object")


def text(value: JsonValue) -> str:
    """Reads a string; null becomes an empty one."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _unfit(value, "text")


def word(value: JsonValue) -> Any:
    """Reads an enum value; unknown values of a newer service are kept."""
    return text(value)


def truth(value: JsonValue) -> bool:
    """Reads a boolean; null becomes false."""
    if value is None or isinstance(value, bool):
        return value is True
    raise _unfit(value, "true or false")


def number(value: JsonValue) -> float:
    """Reads a number; null becomes 0."""
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise _unfit(value, "a number")


def whole(value: JsonValue) -> int:
    """Reads a whole number; null becomes 0."""
    return int(number(value))


def time(value: JsonValue) -> datetime:
    """Reads a time from milliseconds since the epoch."""
    return datetime.fromtimestamp(number(value) / 1_000, UTC)


def milliseconds(value: datetime) -> float:
    """Returns milliseconds since the epoch; a time without a zone is local."""
    return value.timestamp() * 1_000


def base64_bytes(value: JsonValue) -> bytes:
    """Reads the bytes of a base64 string."""
    try:
        return base64.b64decode(text(value))
    except binascii.Error as cause:
        raise _unfit(value, "base64") from cause


def base64_text(value: bytes) -> str:
    """Returns the bytes as base64."""
    return base64.b64encode(value).decode("ascii")


def words(value: str | Sequence[str] | None) -> JsonValue:
    """Returns a list of strings; a single one may be given by itself."""
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)


def _unfit(value: JsonValue, expected: str) -> DrsError:
    shown = repr(value)
    return error_of("internal", f"the service answered {shown[:40]} where {expected} should be")
