"""Waiting for jobs over streams that break, and without them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from drs_client import JobFailedError, NotFoundError
from drs_client.gen.types import Job
from tests.samples import job
from tests.unit.fake import Answers, Fake, events, in_turn, ok, refused

MakeFake = Callable[[Answers], Fake]


def event(revision: int, state: dict[str, Any]) -> str:
    """A state of the job as the stream has it."""
    return f"id: {revision}\ndata: {json.dumps(state)}\n\n"


def wait(service: Fake, **options: Any) -> Any:
    """Waits for the job."""

    async def wait_async() -> Job:
        handle = await service.drs.job("dsj_1")
        answer: Job = await handle.wait(**options)
        return answer

    def wait_sync() -> Job:
        answer: Job = service.drs.job("dsj_1").wait(**options)
        return answer

    return service.run(wait_async if type(service.drs).__name__ == "AsyncDrs" else wait_sync)


def test_a_broken_stream_goes_on_where_it_broke(fake: MakeFake) -> None:
    service = fake(
        in_turn(
            [
                ok(job("IN_QUEUE")),
                events(": still here\n\n", event(1, job("IN_QUEUE")), event(2, job("IN_PROGRESS"))),
                events(event(2, job("IN_PROGRESS")), event(3, job())),
            ]
        )
    )
    seen: list[str] = []
    answer = wait(service, progress=lambda state: seen.append(state.status))
    assert answer.status == "SUCCESS"
    assert seen == ["IN_QUEUE", "IN_PROGRESS", "SUCCESS"]
    assert "last-event-id" not in service.requests[1].headers
    assert service.requests[2].headers["last-event-id"] == "2"


def test_where_streams_do_not_get_through_the_job_is_asked_for(fake: MakeFake) -> None:
    polled = [job("IN_PROGRESS"), job("IN_PROGRESS"), job()]

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/watch"):
            return events()
        return ok(polled.pop(0))

    service = fake(answer)
    assert wait(service).status == "SUCCESS"
    assert service.paths.count("/v1/jobs/dsj_1/watch") == 3


def test_a_service_without_streams_is_polled_at_once(fake: MakeFake) -> None:
    service = fake(in_turn([ok(job("IN_PROGRESS")), refused(501, "unimplemented"), ok(job())]))
    assert wait(service).status == "SUCCESS"


def test_a_service_that_is_away_for_a_moment_is_waited_for(fake: MakeFake) -> None:
    away: list[httpx2.Response | Exception] = [refused(503, "unavailable"), httpx2.ConnectError("refused")]
    service = fake(in_turn([ok(job("IN_PROGRESS")), *away, events(event(4, job()))]))
    assert wait(service).status == "SUCCESS"


def test_an_error_in_the_stream_that_is_final_ends_the_wait(fake: MakeFake) -> None:
    gone = json.dumps({"success": False, "error": "there is no job", "code": "not_found"})
    service = fake(in_turn([ok(job("IN_PROGRESS")), events(f"event: error\ndata: {gone}\n\n")]))
    with pytest.raises(NotFoundError, match="there is no job"):
        wait(service)


def test_a_job_that_failed_raises_unless_that_is_not_wanted(fake: MakeFake) -> None:
    failed = job("ERROR", statusText="it is no document")
    service = fake(in_turn([ok(failed), events(event(1, failed))] * 2))
    with pytest.raises(JobFailedError, match="job dsj_1: it is no document") as caught:
        wait(service)
    assert caught.value.job.status == "ERROR"
    assert wait(service, check=False).status == "ERROR"


def test_a_job_is_waited_for_no_longer_than_wanted(fake: MakeFake) -> None:
    running = job("IN_PROGRESS")
    service = fake(lambda request: events() if request.url.path.endswith("/watch") else ok(running))
    with pytest.raises(TimeoutError, match="job dsj_1 has not finished in time; it continues"):
        wait(service, timeout_seconds=0.05)
