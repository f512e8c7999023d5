"""A real service: that of `DRS_SERVER`, or what else `Drs()` finds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from drs_client import Drs
from tests.samples import pdf

topics = ["Budget of the year", "Heating of the old building", "Staff and holidays", "Roof repairs", "Garden party"]


@pytest.fixture(scope="session")
def drs() -> Iterator[Drs]:
    """A client of the real service."""
    if "DRS_SERVER" not in os.environ or "DRS_API_KEY" not in os.environ:
        pytest.skip("DRS_SERVER and DRS_API_KEY name no service to test with")
    with Drs() as client:
        yield client


@pytest.fixture(scope="session")
def minutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document with a topic on each of its pages."""
    path = tmp_path_factory.mktemp("documents") / "minutes.pdf"
    path.write_bytes(pdf(topics))
    return path


@pytest.fixture(scope="session")
def dataset_id(drs: Drs, minutes: Path) -> str:
    """The minutes, searchable."""
    job = drs.upload(minutes, vectorize=True)
    job.wait(timeout_seconds=120)
    return job.dataset_id
