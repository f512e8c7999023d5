"""What is kept of an upload in parts, so that it can go on after a crash."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadState:
    """All that is needed to go on; which parts have arrived is known to the service."""

    key: str
    """Of the session; with it and an API key of the workspace the upload can go on."""
    server: str
    file_name: str
    file_size: int | None
    """Bytes; None: the length of a stream is not known before its end."""
    part_bytes: int
    vectorize: bool
    modified_ms: float | None
    """When the file last changed, milliseconds since the epoch; None: not known."""
    dataset_id: str | None = None
    """The dataset whose new version the document is; None: it becomes a dataset."""


def read_state(path: Path) -> UploadState | None:
    """The state in a file; None: there is none, or it is of something else."""
    try:
        return UploadState(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_state(path: Path, state: UploadState) -> None:
    """Replaces the file at once, readable for its owner only."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(state), file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
