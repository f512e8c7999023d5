"""Pictures as queries: paths, addresses, bytes and Pillow images."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias, runtime_checkable


@runtime_checkable
class SavesPicture(Protocol):
    """A Pillow image, or anything that is saved like one."""

    def save(self, fp: IO[bytes], format: str | None = ..., **options: Any) -> None: ...


Picture: TypeAlias = str | os.PathLike[str] | bytes | bytearray | SavesPicture
"""A path, an http(s) or data URL, the bytes of a picture file, or a Pillow image."""

#: First bytes of the picture formats that can be searched by.
_signatures = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)


def picture_url(picture: Picture) -> str:
    """Returns the address of a picture, or a data URL that contains it. Reads files."""
    if isinstance(picture, str) and picture.startswith(("http://", "https://", "data:")):
        return picture
    if isinstance(picture, str | os.PathLike):
        return data_url(Path(picture).read_bytes())
    if isinstance(picture, bytes | bytearray):
        return data_url(bytes(picture))
    if isinstance(picture, SavesPicture):
        file = io.BytesIO()
        picture.save(file, format="PNG")
        return data_url(file.getvalue())
    raise TypeError(f"cannot search by {type(picture).__name__}: pass a path, an address, bytes or a Pillow image")


def data_url(picture: bytes) -> str:
    """Returns the bytes with their media type as a data URL."""
    media_type = next((name for start, name in _signatures if picture.startswith(start)), "application/octet-stream")
    return f"data:{media_type};base64,{base64.b64encode(picture).decode('ascii')}"


def bytes_of_data_url(url: str) -> bytes:
    """Returns the contents of a base64 data URL. Raises `ValueError` if it is not one."""
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not head.endswith(";base64") or not comma:
        raise ValueError(f"{url[:40]} is not a base64 data URL")
    return base64.b64decode(data)
