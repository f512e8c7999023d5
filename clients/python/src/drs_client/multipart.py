"""Bodies of multipart/form-data (RFC 7578), generated while they are read."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence

from drs_client.documents import Part


class MultipartBody:
    """One body with fields, optionally a file and the file's SHA-256. It can be read once."""

    def __init__(
        self,
        fields: Sequence[tuple[str, str]],
        file_name: str,
        part: Part | None,
        checksum_field: str | None = None,
    ) -> None:
        self._boundary = f"drs-{uuid.uuid4()}"
        self._checksum_field = checksum_field
        self._part = part
        self._digest = hashlib.sha256()
        head = "".join(self._field(name, value) for name, value in fields)
        if part is not None:
            head += (
                f"--{self._boundary}\r\n"
                f'content-disposition: form-data; name="file"; filename="{_escaped(file_name)}"\r\n'
                "content-type: application/octet-stream\r\n\r\n"
            )
        self._head = head.encode()
        size = 0 if part is None else part.size
        self.headers = {
            "content-type": f"multipart/form-data; boundary={self._boundary}",
            # A known length lets the server reject a document that is too large before it has arrived.
            "content-length": str(len(self._head) + size + len(self._tail("0" * 64))),
        }

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, hexadecimal, once it has been read."""
        return self._digest.hexdigest()

    def read(self) -> Iterator[tuple[bytes, int]]:
        """Yields the pieces, each with the number of its bytes that belong to the file."""
        yield self._head, 0
        if self._part is not None:
            for piece in self._part.read():
                if self._checksum_field is not None:
                    self._digest.update(piece)
                yield piece, len(piece)
        yield self._tail(self.sha256), 0

    def _field(self, name: str, value: str) -> str:
        return f'--{self._boundary}\r\ncontent-disposition: form-data; name="{_escaped(name)}"\r\n\r\n{value}\r\n'

    def _tail(self, sha256: str) -> bytes:
        before = ""
        if self._part is not None:
            before = "\r\n" if self._checksum_field is None else "\r\n" + self._field(self._checksum_field, sha256)
        return f"{before}--{self._boundary}--\r\n".encode()


def _escaped(name: str) -> str:
    """Escapes a name as the HTML standard requires."""
    return name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
