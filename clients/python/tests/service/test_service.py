"""The client against a real service."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import httpx2
import pytest
from PIL import Image

from drs_client import (
    AsyncDrs,
    AsyncHits,
    Drs,
    InvalidRequestError,
    JobFailedError,
    NotFoundError,
    Query,
    UnauthenticatedError,
)
from tests.samples import pdf
from tests.service.conftest import topics

part_bytes = 5 * 1024 * 1024


def test_pages_are_found_by_words_and_by_their_picture(drs: Drs, dataset_id: str) -> None:
    hits = drs.search("heating", dataset_ids=dataset_id, include="text", neighbours=1)
    best = hits[0]
    assert (best.page, best.text, best.file_name) == (2, topics[1], "minutes.pdf")
    assert [near.page for near in best.neighbours] == [1, 3]
    assert best.picture().startswith(b"\xff\xd8\xff")
    assert "data:image/jpeg;base64," in hits._repr_html_()
    assert best.pil(256).width == 256
    for picture in (best.picture(), best.pil()):
        assert drs.search(image=picture, dataset_ids=dataset_id, limit=1)[0].page == 2


async def test_the_client_for_asyncio_does_the_same(drs: Drs, minutes: Path) -> None:
    async with AsyncDrs() as client:
        job = await client.upload(minutes, vectorize=True)
        stages = [state.status async for state in job.watch()]
        assert stages[-1] == "SUCCESS"
        hits = await client.search("roof", dataset_ids=job.dataset_id, limit=2)
        assert len(hits) == 2
        assert hits[0].page == 4
        assert "<img src=" in hits._repr_html_()
        assert (await hits[0].pil()).format == "JPEG"
        cols = [item.col async for item in client.items.list(job.dataset_id, row="jpg", sort="-col")]
        assert cols == [5, 4, 3, 2, 1]
        await client.datasets.delete(job.dataset_id)
        with pytest.raises(NotFoundError):
            await client.datasets.get(job.dataset_id)


async def test_several_searches_are_answered_at_once(drs: Drs, dataset_id: str) -> None:
    with_picture = Query("roof", dataset_ids=dataset_id, include="picture", picture_width=256, limit=1)
    first, second = drs.search_many([Query("heating", dataset_ids=dataset_id, limit=1), with_picture])
    assert [hit.page for hit in first] == [2]
    assert [(hit.page, hit.pil().width) for hit in second] == [(4, 256)]
    by_picture = Query(image=first[0].picture(), dataset_ids=dataset_id, limit=1)
    async with AsyncDrs() as client:
        (found,) = await client.search_many([by_picture])
        assert [hit.page for hit in found] == [2]
        missing = Query("roof", dataset_ids="ds_00000000000000000000000000")
        answered, refused = await client.search_many([by_picture, missing], return_exceptions=True)
        assert isinstance(answered, AsyncHits)
        assert isinstance(refused, NotFoundError)


def test_pictures_and_reasons_come_along(drs: Drs, dataset_id: str) -> None:
    found = drs.search("heating", dataset_ids=dataset_id, include=["text", "picture"], picture_width=512, explain=True)
    best = found[0]
    assert best.item.picture is not None
    assert best.pil().width == 512
    assert best.explanation is not None
    assert [part.weight for part in best.explanation.parts] == [1]
    assert best.explanation.parts[0].words[0].word == "heating"


def test_metadata_filters_lists_and_searches(drs: Drs, minutes: Path) -> None:
    ids = []
    for year, single in ((2019, 99_000_000), (2024, 0)):
        job = drs.upload(
            minutes, vectorize=True, metadata={"year": year, "tags": ["draft"]}, single_request_bytes=single
        )
        job.wait(timeout_seconds=60)
        ids.append(job.dataset_id)
    recent = {"year": {"$gte": 2020}, "tags": {"$contains": "draft"}}
    (found,) = drs.datasets.list(filter=recent)
    assert found.metadata == {"year": 2024, "tags": ["draft"]}
    assert {hit.dataset_id for hit in drs.search("heating", filter=recent)} == {ids[1]}
    assert drs.datasets.update(ids[1], metadata={"year": 2018, "tags": None}).metadata == {"year": 2018}
    assert len(drs.search("heating", filter=recent)) == 0


def test_documents_of_every_source_arrive_whole(drs: Drs, minutes: Path) -> None:
    data = minutes.read_bytes()
    with minutes.open("rb") as file:
        for source in (data, io.BytesIO(data), file):
            job = drs.upload(source)
            assert job.wait(timeout_seconds=60).status == "SUCCESS"
            dataset = drs.datasets.get(job.dataset_id)
            assert dataset.item_count == 5
            assert drs.download(dataset) == data


def test_a_dataset_gets_a_new_version_whole_or_in_parts(drs: Drs, minutes: Path) -> None:
    dataset_id = drs.upload(minutes).wait().dataset_id
    for number, whole_bytes in enumerate((1_000_000, 0), start=1):
        document = pdf([f"Version {number}."] * number)
        job = drs.replace(dataset_id, document, file_name=f"{number}.pdf", single_request_bytes=whole_bytes).wait()
        assert (job.dataset_id, job.type) == (dataset_id, "datasets/extract")
        dataset = drs.datasets.get(dataset_id)
        assert (dataset.item_count, dataset.file_name) == (number, f"{number}.pdf")
    drs.datasets.delete(dataset_id)


def test_refusals_name_what_is_wrong(drs: Drs, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        drs.upload(b"this is no document")
    assert caught.value.status == 415
    assert caught.value.request_id is not None
    with pytest.raises(UnauthenticatedError):
        Drs(drs.server, api_key="nobody").datasets.page()
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing more")
    with pytest.raises(JobFailedError):
        drs.upload(broken).wait(timeout_seconds=60)


def test_a_key_makes_an_upload_be_done_once(drs: Drs, minutes: Path) -> None:
    first, second = [drs.upload(minutes, idempotency_key="python-client-once") for _ in range(2)]
    assert first.id == second.id


class Counting(httpx2.HTTPTransport):
    """Counts requests by their path."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.paths.append(request.url.path)
        return super().handle_request(request)


def test_an_upload_that_was_killed_goes_on(drs: Drs, tmp_path: Path) -> None:
    path = tmp_path / "large.pdf"
    path.write_bytes(pdf(topics, padding=os.urandom(16 * 1024 * 1024).hex().encode()))
    resume = tmp_path / "resume.json"
    options = f"single_request_bytes=0, part_bytes={part_bytes}, parts_at_once=1, resume_file={str(resume)!r}"
    program = f"""
        import os, signal
        from drs_client import Drs

        def stop(progress):
            if progress.sent_bytes > {3 * part_bytes}:
                os.kill(os.getpid(), signal.SIGKILL)

        Drs().upload({str(path)!r}, {options}, progress=stop)
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert resume.exists()

    counting = Counting()
    with Drs(transport=counting) as client:
        job = client.upload(path, single_request_bytes=0, part_bytes=part_bytes, parts_at_once=2, resume_file=resume)
        assert job.wait(timeout_seconds=120).status == "SUCCESS"
    parts = -(-path.stat().st_size // part_bytes)
    assert counting.paths.count("/v1/upload-session/start") == 0
    assert 0 < counting.paths.count("/v1/upload-session/append") <= parts - 3
    assert not resume.exists()
    assert drs.datasets.get(job.dataset_id).file_size == path.stat().st_size


def test_memory_does_not_grow_with_the_document(drs: Drs, tmp_path: Path) -> None:
    path = tmp_path / "large.pdf"
    path.write_bytes(pdf(topics, padding=b"x" * 150_000_000))
    program = f"""
        import resource
        from drs_client import Drs

        drs = Drs()
        drs.datasets.page()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        job = drs.upload({str(path)!r})
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
        job.cancel()
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, capture_output=True, text=True)
    # Four requests with pieces of 1 MiB, on their way through HTTP and the system.
    assert int(ended.stdout) < 40_000_000


def test_the_server_of_a_data_folder_is_found(drs: Drs, bare_env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.environ.get("DRS_TEST_DATA_DIR")
    if folder is None:
        pytest.skip("DRS_TEST_DATA_DIR names no data folder of the service")
    with Drs(data_dir=folder) as client:
        assert client.server == drs.server
        assert "read" in client.members.who_am_i().scopes
    monkeypatch.setenv("DRS_DATA_DIR", folder)
    with Drs(drs.server) as client:
        client.datasets.page()
    with pytest.raises(Exception, match="no API key for"):
        Drs("http://127.0.0.1:1")


def test_pillow_is_needed_for_pictures_alone(drs: Drs, dataset_id: str) -> None:
    hit = drs.search("heating", dataset_ids=dataset_id, limit=1)[0]
    assert Image.open(io.BytesIO(hit.picture())).size == hit.pil().size
