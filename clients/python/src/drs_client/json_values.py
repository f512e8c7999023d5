"""JSON into typed values and back, for the generated code."""

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
    """The members of an object. Raises `DrsError` if it is none."""
    if isinstance(value, Mapping):
        return value
    raise error_of("internal", f"the service answered without the {what}")


def need(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> T:
    """A member that the service always sends; from one of an older version the default of its kind."""
    return read(of.get(name))


def maybe(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> T | None:
    """A member that may be missing or null."""
    value = of.get(name)
    return None if value is None else read(value)


def many(of: Mapping[str, JsonValue], name: str, read: Read[T]) -> tuple[T, ...]:
    """The elements of a list, which may be missing."""
    value = of.get(name)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _unfit(value, "a list")
    return tuple(read(one) for one in value)


def mapping(read: Read[T]) -> Read[Mapping[str, T]]:
    """Reads an object whose members are all of one kind."""

    def read_all(value: JsonValue) -> Mapping[str, T]:
        return {} if value is None else {name: read(one) for name, one in members(value, "object").items()}

    return read_all


def any_json(value: JsonValue) -> JsonValue:
    """Whatever it is."""
    return value


def any_object(value: JsonValue) -> Mapping[str, Any]:
    """An object of any members; nothing is an empty one."""
    return {} if value is None else members(value, "object")


def text(value: JsonValue) -> str:
    """A text; none is an empty one."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _unfit(value, "text")


def word(value: JsonValue) -> Any:
    """A word of an enum; one that a newer service has added stays as it is."""
    return text(value)


def truth(value: JsonValue) -> bool:
    """True or false; nothing is false."""
    if value is None or isinstance(value, bool):
        return value is True
    raise _unfit(value, "true or false")


def number(value: JsonValue) -> float:
    """A number; nothing is 0."""
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise _unfit(value, "a number")


def whole(value: JsonValue) -> int:
    """A whole number; nothing is 0."""
    return int(number(value))


def time(value: JsonValue) -> datetime:
    """A time out of milliseconds since the epoch."""
    return datetime.fromtimestamp(number(value) / 1_000, UTC)


def milliseconds(value: datetime) -> float:
    """Milliseconds since the epoch; a time without a zone is local."""
    return value.timestamp() * 1_000


def base64_bytes(value: JsonValue) -> bytes:
    """The bytes of a base64 text."""
    try:
        return base64.b64decode(text(value))
    except binascii.Error as cause:
        raise _unfit(value, "base64") from cause


def base64_text(value: bytes) -> str:
    """The bytes as base64."""
    return base64.b64encode(value).decode("ascii")


def words(value: str | Sequence[str] | None) -> JsonValue:
    """A list of words; a single one may be given as it is."""
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)


def _unfit(value: JsonValue, expected: str) -> DrsError:
    shown = repr(value)
    return error_of("internal", f"the service answered {shown[:40]} where {expected} should be")
