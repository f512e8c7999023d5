"""What refusals become, and which of them are met by sending again."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from drs_client import (
    ConflictError,
    DrsError,
    InvalidRequestError,
    LimitExceededError,
    NeverReachedError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    UnauthenticatedError,
    UnavailableError,
)
from tests.samples import dataset, job
from tests.unit.fake import Answers, Fake, in_turn, ok, refused

MakeFake = Callable[[Answers], Fake]


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_argument", InvalidRequestError),
        (401, "unauthenticated", UnauthenticatedError),
        (403, "permission_denied", PermissionDeniedError),
        (404, "not_found", NotFoundError),
        (409, "already_exists", ConflictError),
        (429, "resource_exhausted", LimitExceededError),
        (500, "internal", ServiceError),
        (400, "a_new_one", InvalidRequestError),
        (418, "a_new_one", InvalidRequestError),
    ],
)
def test_refusals_have_a_class_for_each_code(fake: MakeFake, status: int, code: str, kind: type[DrsError]) -> None:
    service = fake(lambda _: refused(status, code, **{"retry-after": "7"}))
    with pytest.raises(DrsError) as caught:
        service.run(lambda: service.drs.datasets.delete("ds_1"))
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.message, error.request_id) == (status, f"this is {code}", "req_1")
    assert error.retry_after_seconds == 7
    assert str(error) == f"this is {code} (request req_1)"


def test_a_proxy_s_page_is_told_by_its_status(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(413, text="<html>too large</html>"))
    with pytest.raises(LimitExceededError, match="the server answered 413"):
        service.run(lambda: service.drs.datasets.delete("ds_1"))


def test_what_creates_is_sent_again_under_one_key(fake: MakeFake) -> None:
    lost = httpx2.RemoteProtocolError("closed")
    service = fake(in_turn([lost, refused(503, "unavailable"), ok(job())]))
    service.run(lambda: service.drs.datasets.vectorize("ds_1"))
    keys = {request.headers["idempotency-key"] for request in service.requests}
    assert len(service.requests) == 3
    assert len(keys) == 1
    assert len(keys.pop()) == 36


def test_the_caller_s_own_key_is_taken(fake: MakeFake) -> None:
    service = fake(in_turn([ok(job())]))
    service.run(lambda: service.drs.datasets.vectorize("ds_1", idempotency_key="mine"))
    assert service.requests[0].headers["idempotency-key"] == "mine"


def test_what_changes_nothing_is_sent_again(fake: MakeFake) -> None:
    service = fake(in_turn([refused(502, "unavailable"), ok(dataset())]))
    service.run(lambda: service.drs.datasets.get("ds_1"))
    assert len(service.requests) == 2
    assert "idempotency-key" not in service.requests[0].headers


@pytest.mark.parametrize(
    ("status", "code"),
    [(500, "internal"), (429, "resource_exhausted"), (404, "not_found"), (409, "aborted")],
)
def test_what_would_fail_again_is_not_sent_again(fake: MakeFake, status: int, code: str) -> None:
    service = fake(in_turn([refused(status, code)]))
    with pytest.raises(DrsError):
        service.run(lambda: service.drs.datasets.vectorize("ds_1"))


def test_a_conflict_that_says_when_to_come_back_is(fake: MakeFake) -> None:
    service = fake(in_turn([refused(409, "aborted", **{"retry-after": "1"}), ok(job())]))
    service.run(lambda: service.drs.datasets.vectorize("ds_1"))
    assert len(service.requests) == 2


def test_what_is_not_known_to_be_done_is_not_done_twice(fake: MakeFake) -> None:
    service = fake(in_turn([httpx2.ReadError("broken")]))
    with pytest.raises(UnavailableError, match=r"cannot reach http://drs\.test: broken"):
        service.run(lambda: service.drs.datasets.delete("ds_1"))


def test_a_service_that_was_never_reached_is_not_waited_for(fake: MakeFake) -> None:
    service = fake(in_turn([httpx2.ConnectError("refused")]))
    with pytest.raises(NeverReachedError, match=r"cannot reach http://drs\.test: refused"):
        service.run(lambda: service.drs.datasets.get("ds_1"))
