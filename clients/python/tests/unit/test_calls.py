"""What goes over the wire for a call, and what comes of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import httpx2
import pytest

from drs_client import ServiceError
from tests.samples import dataset, item, job
from tests.unit.fake import Answers, Fake, ok

MakeFake = Callable[[Answers], Fake]


def test_fields_go_into_path_and_query(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(200, json={"total": 0, "data": []}))
    service.run(lambda: service.drs.items.page("ds_1/../x", cols=["1:3", "5"], sort="col", limit=2))
    (request,) = service.requests
    assert request.url.raw_path == b"/v1/datasets/ds_1%2F..%2Fx/items?cols=1%3A3&cols=5&limit=2&sort=col"
    assert request.headers["x-api-key"] == "key"


def test_objects_go_into_a_query_as_json(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(200, json={"total": 0, "data": []}))
    service.run(lambda: service.drs.datasets.page(filter={"year": {"$gte": 2020}}))
    assert json.loads(service.requests[0].url.params["filter"]) == {"year": {"$gte": 2020}}


def test_fields_go_into_the_body_without_those_that_are_not_set(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(200, json={"total": 0, "data": []}))
    service.run(lambda: service.drs.search("heating", dataset_ids="ds_1", include="text", min_score=0.2))
    (request,) = service.requests
    assert json.loads(request.content) == {
        "query": {"text": "heating"},
        "datasetIds": ["ds_1"],
        "include": ["text"],
        "minScore": 0.2,
    }


def test_answers_are_typed(fake: MakeFake) -> None:
    service = fake(lambda _: ok(dataset(expiresAt=1_700_000_060_500)))
    answer = service.run(lambda: service.drs.datasets.get("ds_1"))
    assert answer.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert answer.expires_at == datetime(2023, 11, 14, 22, 14, 20, 500_000, tzinfo=UTC)
    assert answer.updated_at is None
    assert answer.share.url.startswith("http://drs.test/v1/share/ds_1")


def test_fields_and_words_of_a_newer_service_do_no_harm(fake: MakeFake) -> None:
    service = fake(lambda _: ok({**job("PAUSED"), "colour": "green", "progress": {"stage": "dream", "depth": 3}}))
    answer = service.run(lambda: service.drs.jobs.get("dsj_1"))
    assert answer.status == "PAUSED"
    assert answer.progress.stage == "dream"
    assert answer.progress.pages_done == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"success": True}, "without the result"),
        ({"success": True, "data": [1]}, "without the Dataset"),
        ({"success": True, "data": {**dataset(), "share": None}}, "without the Share"),
        ({"success": True, "data": {**dataset(), "fileName": 7}}, "answered 7 where text should be"),
    ],
)
def test_answers_that_are_none_are_errors(fake: MakeFake, body: object, said: str) -> None:
    service = fake(lambda _: httpx2.Response(200, json=body))
    with pytest.raises(ServiceError, match=said):
        service.run(lambda: service.drs.datasets.get("ds_1"))


def test_an_answer_that_is_no_json_is_an_error(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(200, text="<html>"))
    with pytest.raises(Exception, match="something else than JSON; check its address"):
        service.run(lambda: service.drs.datasets.get("ds_1"))


def test_lists_fetch_page_by_page(fake: MakeFake) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        offset, limit = int(request.url.params["offset"]), int(request.url.params["limit"])
        numbers = range(offset, min(offset + limit, 250))
        return httpx2.Response(200, json={"total": 250, "data": [dataset(number) for number in numbers]})

    service = fake(answer)
    assert len(service.run(lambda: service.drs.datasets.list())) == 250
    assert [request.url.params["offset"] for request in service.requests] == ["0", "100", "200"]
    some = service.run(lambda: service.drs.datasets.list(offset=240, limit=5))
    assert [one.id for one in some] == [f"ds_{number}" for number in range(240, 245)]
    assert service.requests[-1].url.params["limit"] == "5"


def test_share_links_are_opened_without_the_key_and_through_redirects(fake: MakeFake) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        assert "x-api-key" not in request.headers
        if request.url.host == "store.test":
            return httpx2.Response(200, content=b"\xff\xd8\xff")
        if request.url.path.startswith("/v1/share/"):
            return httpx2.Response(307, headers={"location": "http://store.test/page"})
        raise AssertionError(request.url)

    service = fake(answer)
    share = item()["share"]["url"]
    assert service.run(lambda: service.drs.download(share)) == b"\xff\xd8\xff"


def test_a_call_with_the_key_follows_no_redirect(fake: MakeFake) -> None:
    service = fake(lambda _: httpx2.Response(307, headers={"location": "http://elsewhere.test/"}))
    with pytest.raises(Exception, match="the server answered 307"):
        service.run(lambda: service.drs.datasets.get("ds_1"))
    assert len(service.requests) == 1
