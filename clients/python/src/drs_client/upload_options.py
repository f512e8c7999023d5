"""Options of uploads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from drs_client.progress import UploadProgress

#: The service's limits, in the stricter reading of MB.
_min_part_bytes = 5 * 1024 * 1024
_max_part_bytes = 100_000_000
_max_parts_at_once = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadOptions:
    """The options of an upload. Raises `ValueError` for numbers out of range."""

    vectorize: bool | None
    """None for a new version that is vectorized if the one before is."""
    dataset_id: str | None = None
    """The dataset that gets the document as a new version; None if it becomes a dataset of its own."""
    metadata: Mapping[str, Any] | None
    expires_in_days: float | None
    callback_url: str | None
    if_exists: Literal["create", "return"] | None
    file_name: str | None
    idempotency_key: str | None
    progress: Callable[[UploadProgress], None] | None
    resume_file: Path | None
    single_request_bytes: int
    part_bytes: int
    parts_at_once: int
    patience_seconds: float

    def __post_init__(self) -> None:
        _demand("single_request_bytes", self.single_request_bytes, 0, None)
        _demand("part_bytes", self.part_bytes, _min_part_bytes, _max_part_bytes)
        _demand("parts_at_once", self.parts_at_once, 1, _max_parts_at_once)
        if self.patience_seconds < 0:
            raise ValueError("patience_seconds must not be negative")

    @property
    def form_fields(self) -> list[tuple[str, str]]:
        """The options of the document, as fields of a form."""
        is_said = self.dataset_id is not None and self.vectorize is not None
        fields = [
            ("vectorize", str(self.vectorize).lower() if is_said else None),
            ("expiresInDays", None if self.expires_in_days is None else f"{self.expires_in_days:g}"),
            ("metadata", None if self.metadata is None else json.dumps(self.metadata)),
            ("callbackUrl", self.callback_url),
            ("ifExists", self.if_exists),
        ]
        return [(name, value) for name, value in fields if value is not None]


def _demand(name: str, value: int, least: int, most: int | None) -> None:
    if value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be {bounds}, not {value}")
