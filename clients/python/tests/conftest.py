"""Both kinds of client, and nothing of this machine's settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.fake import Answers, Fake


@pytest.fixture(params=["sync", "async"])
def fake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Answers], Fake]:
    """Makes a client of the kind that is tried; it does not wait between tries."""

    async def no_async_pause(_seconds: float) -> None:
        return

    for module in ("caller", "jobs"):
        monkeypatch.setattr(f"drs_client._sync.{module}.pause", lambda _seconds: None)
        monkeypatch.setattr(f"drs_client._aio.{module}.pause", no_async_pause)
    return lambda answers: Fake(request.param, answers)


@pytest.fixture
def bare_env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home without anything of drs; returns it."""
    for name in ("SERVER", "API_KEY", "PROFILE", "DATA_DIR", "WORKSPACE"):
        monkeypatch.delenv(f"DRS_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path
