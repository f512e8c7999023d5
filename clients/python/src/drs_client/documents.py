"""Documents to upload: files, bytes and streams, read piece by piece."""

from __future__ import annotations

import hashlib
import io
import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, TypeAlias, runtime_checkable

from drs_client.errors import error_of

#: Large enough that reading costs little, small enough to hold one for each request.
_piece_bytes = 1024 * 1024
#: The service's limit.
_max_parts = 10_000
_nameless = "document"
#: A PDF may have this many bytes before its header; readers accept that.
_head_bytes = 1024
_open_xml = "application/vnd.openxmlformats-officedocument"
#: Media types by extension; the service distinguishes variants with templates and macros.
_media_types = {
    "pdf": "application/pdf",
    "docx": f"{_open_xml}.wordprocessingml.document",
    "pptx": f"{_open_xml}.presentationml.presentation",
    "xlsx": f"{_open_xml}.spreadsheetml.sheet",
}


@runtime_checkable
class ReadsBytes(Protocol):
    """An open file, or anything that reads like one."""

    def read(self, size: int, /) -> bytes: ...


UploadSource: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | ReadsBytes
"""A path, an http(s) address that the service fetches itself, bytes, or an open file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a document that is sent in one request."""

    number: int
    """Number of the part, from 1."""
    size: int
    read: Callable[[], Iterator[bytes]]
    """Reads its bytes from the start."""


class Document(Protocol):
    """The properties and contents that an upload needs."""

    @property
    def file_name(self) -> str: ...

    @property
    def size(self) -> int | None:
        """Size in bytes; None if it is known only at the end."""

    @property
    def modified_ms(self) -> float | None:
        """When its file last changed, milliseconds since the epoch; None if not known."""

    def head(self) -> bytes:
        """Returns its first bytes."""
        ...

    def sha256(self) -> str | None:
        """Returns the SHA-256 of all its bytes, hexadecimal; None if they can be read only once."""
        ...

    def next_part(self, part_bytes: int) -> Part | None:
        """Returns the next part; None after the last one. Threads may call it at the same time."""
        ...


def document_of(source: UploadSource, file_name: str | None) -> Document:
    """Opens everything except addresses. Raises the system's own error for a path that cannot be read."""
    if isinstance(source, bytes | bytearray | memoryview):
        return StreamDocument(io.BytesIO(source), file_name or _nameless, size=len(source))
    if isinstance(source, str | os.PathLike):
        return FileDocument(Path(source), file_name)
    if isinstance(source, io.TextIOBase):
        raise TypeError('the file is open as text; open it with mode "rb"')
    if isinstance(source, ReadsBytes):
        path = getattr(source, "name", None)
        named = Path(path).name if isinstance(path, str) else ""
        return StreamDocument(source, file_name or named or _nameless, size=None)
    raise TypeError(f"cannot upload {type(source).__name__}: pass a path, an address, bytes or an open file")


class FileDocument:
    """A file that is read by ranges, never as a whole."""

    def __init__(self, path: Path, file_name: str | None) -> None:
        if not path.is_file() and path.exists():
            raise IsADirectoryError(f"{path} is not a file")
        facts = path.stat()
        self._path = path
        self._facts = (facts.st_size, facts.st_mtime_ns)
        self._parts = _Counter()
        self.file_name = file_name or path.name
        self.size: int | None = facts.st_size
        self.modified_ms: float | None = facts.st_mtime_ns / 1_000_000

    def head(self) -> bytes:
        with self._path.open("rb") as file:
            return file.read(_head_bytes)

    def sha256(self) -> str | None:
        with self._path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def next_part(self, part_bytes: int) -> Part | None:
        number = self._parts.next()
        size, _ = self._facts
        start = (number - 1) * part_bytes
        end = min(start + part_bytes, size)
        if start >= size and not (size == 0 and number == 1):
            return None
        return Part(number=number, size=end - start, read=lambda: self._read(start, end))

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            file.seek(start)
            at = start
            while at < end:
                piece = file.read(min(_piece_bytes, end - at))
                at += len(piece)
                # The last piece is returned only if the file has not changed.
                if not piece or (at == end and self._facts != _facts_of(file)):
                    raise error_of(
                        "aborted", f"{self._path} changed during its upload; upload it again once it is complete"
                    )
                yield piece


class StreamDocument:
    """A source that can be read once, from its start; as many parts are held as are being sent."""

    def __init__(self, stream: ReadsBytes, file_name: str, *, size: int | None) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._number = 0
        self._ahead = b""
        self._ended = False
        self.file_name = file_name
        self.size = size
        self.modified_ms: float | None = None

    def head(self) -> bytes:
        with self._lock:
            if not self._ahead:
                self._ahead = self._read(_head_bytes)
            return self._ahead[:_head_bytes]

    def sha256(self) -> str | None:
        """Returns None: the bytes are read once, while they are sent."""
        return None

    def probe(self, most: int) -> None:
        """Reads ahead, to learn the size of a source that ends before."""
        with self._lock:
            self._ahead += self._read(most + 1 - len(self._ahead))
            if len(self._ahead) <= most:
                self.size = len(self._ahead)

    def next_part(self, part_bytes: int) -> Part | None:
        with self._lock:
            if self._ended:
                return None
            taken, self._ahead = self._ahead[:part_bytes], self._ahead[part_bytes:]
            data = taken + self._read(part_bytes - len(taken))
            self._ended = len(data) < part_bytes
            if not data and self._number > 0:
                return None
            self._number += 1
            number = self._number
        if number > _max_parts:
            raise error_of(
                "invalid_argument", f"the stream is longer than {_max_parts} parts; upload it with a larger part_bytes"
            )
        return Part(number=number, size=len(data), read=lambda: _pieces_of(data))

    def _read(self, size: int) -> bytes:
        pieces = []
        while size > 0:
            piece = self._stream.read(min(size, _piece_bytes))
            if not isinstance(piece, bytes):
                raise TypeError("the stream must give bytes")
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def enough_part_bytes(size: int | None, part_bytes: int) -> int:
    """Returns the smallest part size, in whole MiB, with which there are not too many parts."""
    if size is None:
        return part_bytes
    mebibyte = 1024 * 1024
    return max(part_bytes, -(-size // _max_parts // mebibyte) * mebibyte)


def sha256_of(part: Part) -> str:
    """Returns the SHA-256 of a part, hexadecimal."""
    digest = hashlib.sha256()
    for piece in part.read():
        digest.update(piece)
    return digest.hexdigest()


def kind_of(document: Document) -> tuple[str, str]:
    """Returns extension without a dot and media type, by the name, else by the first bytes.

    Raises `ValueError` if neither tells, because all Office formats begin alike.
    """
    name = document.file_name
    extension = re.search(r"\.([A-Za-z0-9]{1,16})$", name)
    if extension is not None:
        word = extension.group(1).lower()
        return word, _media_types.get(word, "application/octet-stream")
    head = document.head()
    if b"%PDF-" in head:
        return "pdf", _media_types["pdf"]
    if head.startswith(b"PK"):
        raise ValueError(f'"{name}" looks like an Office document; pass a file_name such as report.docx')
    raise ValueError(f'cannot tell what kind of document "{name}" is; pass a file_name such as report.pdf')


def _facts_of(file: IO[bytes]) -> tuple[int, int]:
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns


def _pieces_of(data: bytes) -> Iterator[bytes]:
    view = memoryview(data)
    for at in range(0, len(data), _piece_bytes):
        yield bytes(view[at : at + _piece_bytes])


class _Counter:
    """Counts from 1, for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        """Returns the next number."""
        with self._lock:
            self._last += 1
            return self._last
