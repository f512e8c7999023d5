"""State of uploads in parts, so that they can continue after a crash."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadState:
    """Everything that is needed to continue; the service knows which parts have arrived."""

    key: str
    """Key of the session; it and an API key of the workspace suffice to continue."""
    server: str
    file_name: str
    file_size: int | None
    """Bytes; None for a stream, whose length is not known before its end."""
    part_bytes: int
    vectorize: bool
    modified_ms: float | None
    """When the file last changed, milliseconds since the epoch; None if not known."""
    dataset_id: str | None = None
    """The dataset that gets the document as a new version; None if it becomes a dataset of its own."""


def read_state(path: Path) -> UploadState | None:
    """Returns the state in a file; None if there is none, or it is of something else."""
    try:
        return UploadState(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_state(path: Path, state: UploadState) -> None:
    """Replaces the file atomically, readable by its owner only."""
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
