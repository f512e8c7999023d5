"""Uploads in one request and in parts, over a service that keeps sessions."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from drs_client import DrsError, InvalidRequestError, UploadProgress
from tests.samples import job
from tests.unit.fake import Answers, Fake, ok, refused

MakeFake = Callable[[Answers], Fake]
part_bytes = 5 * 1024 * 1024
document = b"%PDF-1.7\n" + bytes(range(256)) * 51_200


class Sessions:
    """Answers uploads as the service does."""

    def __init__(self) -> None:
        self.parts: dict[int, bytes] = {}
        self.whole: bytes | None = None
        self.fields: dict[str, str] = {}
        self.start: dict[str, Any] = {}
        self.job_id: str | None = None
        self.is_gone = False
        self.failures: list[httpx2.Response | Exception] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response | Exception:
        path = request.url.path
        if path in ("/v1/extract", "/v1/vectorize", "/v1/upload-session/append") and self.failures:
            return self.failures.pop(0)
        if path in ("/v1/extract", "/v1/vectorize"):
            self.fields, self.whole = parsed(request)
            return ok(job())
        if path == "/v1/upload-session/start":
            self.start = json.loads(request.content)
            self.is_gone = False
            return ok({"key": "tmp_1", "expiresAt": 1})
        if path == "/v1/upload-session/append":
            fields, data = parsed(request)
            assert fields["checksum"] == hashlib.sha256(data).hexdigest()
            self.parts[int(fields["partNumber"])] = data
            return ok(self._part(int(fields["partNumber"])))
        if path == "/v1/upload-session/end":
            numbers = [part["partNumber"] for part in json.loads(request.content)["parts"]]
            self.whole = b"".join(self.parts[number] for number in numbers)
            return ok(job())
        if path == "/v1/upload-session/abort":
            self.is_gone = True
            return httpx2.Response(200, json={"success": True})
        if path == "/v1/jobs/dsj_1":
            return ok(job())
        return refused(404, "not_found") if self.is_gone else ok(self._session())

    def _part(self, number: int) -> dict[str, Any]:
        data = self.parts[number]
        return {"etag": hashlib.sha256(data).hexdigest(), "partNumber": number, "size": len(data)}

    def _session(self) -> dict[str, Any]:
        parts = [self._part(number) for number in sorted(self.parts)]
        return {"key": "tmp_1", "fileName": "a.pdf", "fileSize": len(document), "parts": parts, "jobId": self.job_id}


def parsed(request: httpx2.Request) -> tuple[dict[str, str], bytes]:
    """Fields and file of a form."""
    assert int(request.headers["content-length"]) == len(request.content)
    boundary = request.headers["content-type"].split("boundary=")[1].encode()
    fields: dict[str, str] = {}
    file = b""
    for section in request.content.split(b"--" + boundary)[1:-1]:
        head, _, value = section[2:-2].partition(b"\r\n\r\n")
        found = re.search(rb'name="(\w+)"', head)
        assert found is not None
        name = found.group(1).decode()
        if name == "file":
            file = value
        else:
            fields[name] = value.decode()
    return fields, file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A document of three parts."""
    path = tmp_path / "a.pdf"
    path.write_bytes(document)
    return path


def test_a_small_document_goes_in_one_request(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    service = fake(sessions)
    seen: list[UploadProgress] = []
    handle = service.run(
        lambda: service.drs.upload(
            path, vectorize=True, expires_in_days=30, metadata={"customer": 42}, progress=seen.append
        )
    )
    assert service.paths == ["/v1/vectorize"]
    assert sessions.whole == document
    assert sessions.fields == {"expiresInDays": "30", "metadata": '{"customer": 42}'}
    assert handle.id == "dsj_1"
    assert seen[-1] == UploadProgress(sent_bytes=len(document), total_bytes=len(document))


def test_a_callback_goes_with_both_ways_of_uploading(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    service = fake(sessions)
    service.run(lambda: service.drs.upload(path, callback_url="https://example.com/done"))
    assert sessions.fields == {"callbackUrl": "https://example.com/done"}
    service.run(lambda: service.drs.upload(path, callback_url="https://example.com/done", single_request_bytes=0))
    assert sessions.start["callbackUrl"] == "https://example.com/done"


def test_an_address_goes_as_it_is(fake: MakeFake) -> None:
    sessions = Sessions()
    service = fake(sessions)
    service.run(lambda: service.drs.upload("https://example.com/a.pdf", file_name="b.pdf"))
    assert sessions.fields == {"url": "https://example.com/a.pdf", "fileName": "b.pdf"}


def test_a_lost_answer_is_asked_for_under_the_same_key(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    sessions.failures = [httpx2.ReadError("broken"), refused(503, "unavailable")]
    service = fake(sessions)
    service.run(lambda: service.drs.upload(path))
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1
    assert len(service.requests) == 3


def test_a_large_document_goes_in_parts(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    service = fake(sessions)
    service.run(lambda: service.drs.upload(path, single_request_bytes=0, part_bytes=part_bytes))
    assert sessions.start == {
        "fileName": "a.pdf",
        "fileExt": "pdf",
        "fileType": "application/pdf",
        "jobType": "extract",
        "fileSize": len(document),
    }
    assert sorted(sessions.parts) == [1, 2, 3]
    assert sessions.whole == document


@pytest.mark.parametrize("source", [document, bytearray(document), memoryview(document)])
def test_bytes_go_in_parts(fake: MakeFake, source: bytes) -> None:
    sessions = Sessions()
    service = fake(sessions)
    service.run(lambda: service.drs.upload(source, single_request_bytes=0, part_bytes=part_bytes))
    assert sessions.whole == document
    assert sessions.start["fileExt"] == "pdf"


def test_a_stream_goes_in_parts_or_at_once_by_its_length(fake: MakeFake) -> None:
    sessions = Sessions()
    service = fake(sessions)
    service.run(lambda: service.drs.upload(io.BytesIO(document), part_bytes=part_bytes))
    assert sessions.whole == document
    assert "fileSize" not in sessions.start
    service.requests.clear()
    service.run(lambda: service.drs.upload(io.BytesIO(document[:1000]), file_name="b.pdf"))
    assert service.paths == ["/v1/extract"]
    assert sessions.whole == document[:1000]


def test_a_part_that_was_lost_is_sent_again(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    sessions.failures = [httpx2.WriteError("broken"), refused(429, "resource_exhausted", **{"retry-after": "1"})]
    service = fake(sessions)
    service.run(lambda: service.drs.upload(path, single_request_bytes=0, part_bytes=part_bytes))
    assert sessions.whole == document
    assert service.paths.count("/v1/upload-session/append") == 5


def test_an_interrupted_upload_goes_on(fake: MakeFake, path: Path, tmp_path: Path) -> None:
    sessions = Sessions()
    resume = tmp_path / "resume.json"
    service = fake(sessions)
    options: dict[str, Any] = {
        "single_request_bytes": 0,
        "part_bytes": part_bytes,
        "resume_file": resume,
        "patience_seconds": 0,
        "parts_at_once": 1,
    }
    # The first part arrives, the second does not.
    sessions.failures = [ok({"etag": "", "partNumber": 1, "size": 0})]
    with pytest.raises(DrsError, match="part 1 arrived at the server as something else"):
        service.run(lambda: service.drs.upload(path, **options))
    assert resume.stat().st_mode & 0o077 == 0
    sessions.parts = {1: document[:part_bytes], 2: b"something else"}
    service.requests.clear()
    service.run(lambda: service.drs.upload(path, **options))
    assert service.paths == [
        "/v1/upload-session/tmp_1",
        "/v1/upload-session/append",
        "/v1/upload-session/append",
        "/v1/upload-session/end",
    ]
    assert sessions.whole == document
    assert not resume.exists()


def test_an_upload_that_had_ended_is_not_made_again(fake: MakeFake, path: Path, tmp_path: Path) -> None:
    sessions = Sessions()
    resume = tmp_path / "resume.json"
    service = fake(sessions)
    options: dict[str, Any] = {"single_request_bytes": 0, "part_bytes": part_bytes, "resume_file": resume}
    sessions.failures = [refused(403, "permission_denied")]
    with pytest.raises(DrsError):
        service.run(lambda: service.drs.upload(path, **options, parts_at_once=1))
    sessions.job_id = "dsj_1"
    service.requests.clear()
    assert service.run(lambda: service.drs.upload(path, **options)).id == "dsj_1"
    assert service.paths == ["/v1/upload-session/tmp_1", "/v1/jobs/dsj_1"]


def test_a_session_that_is_gone_is_started_anew(fake: MakeFake, path: Path, tmp_path: Path) -> None:
    sessions = Sessions()
    resume = tmp_path / "resume.json"
    service = fake(sessions)
    options: dict[str, Any] = {"single_request_bytes": 0, "part_bytes": part_bytes, "resume_file": resume}
    sessions.failures = [refused(403, "permission_denied")]
    with pytest.raises(DrsError):
        service.run(lambda: service.drs.upload(path, **options, parts_at_once=1))
    sessions.is_gone = True
    service.run(lambda: service.drs.upload(path, **options))
    assert service.paths.count("/v1/upload-session/start") == 2
    assert sessions.whole == document


def test_what_is_no_document_leaves_no_session(fake: MakeFake, path: Path) -> None:
    sessions = Sessions()
    sessions.failures = [refused(415, "invalid_argument")]
    service = fake(sessions)
    with pytest.raises(InvalidRequestError):
        service.run(lambda: service.drs.upload(path, single_request_bytes=0, parts_at_once=1))
    assert sessions.is_gone


def test_a_file_that_changes_ends_its_upload(fake: MakeFake, path: Path) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response | Exception:
        if request.url.path.endswith("/append"):
            path.write_bytes(document[::-1])
        return sessions(request)

    sessions = Sessions()
    service = fake(answer)
    with pytest.raises(DrsError, match="changed during its upload"):
        service.run(lambda: service.drs.upload(path, single_request_bytes=0, part_bytes=part_bytes, parts_at_once=1))
    assert sessions.whole is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"part_bytes": 1}, "part_bytes must be from 5242880 to 100000000, not 1"),
        ({"parts_at_once": 0}, "parts_at_once must be from 1 to 64"),
        ({"patience_seconds": -1}, "must not be negative"),
    ],
)
def test_numbers_that_cannot_be_meant_are_refused(fake: MakeFake, options: dict[str, Any], said: str) -> None:
    service = fake(Sessions())
    with pytest.raises(ValueError, match=said):
        service.run(lambda: service.drs.upload(document, **options))
    assert service.requests == []


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        (io.StringIO("text"), TypeError, 'open it with mode "rb"'),
        (7, TypeError, "cannot upload int"),
        (".", OSError, "is not a file"),
        ("missing.pdf", FileNotFoundError, "missing.pdf"),
    ],
)
def test_what_cannot_be_read_is_refused(fake: MakeFake, source: Any, kind: type[Exception], said: str) -> None:
    service = fake(Sessions())
    with pytest.raises(kind, match=said):
        service.run(lambda: service.drs.upload(source))


def test_an_office_document_without_a_name_is_refused(fake: MakeFake) -> None:
    service = fake(Sessions())
    with pytest.raises(ValueError, match="looks like an Office document"):
        service.run(lambda: service.drs.upload(b"PK" * 600, single_request_bytes=0))
