"""Pictures as questions and in notebooks."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from drs_client import NotFoundError, Query
from drs_client.pictures import data_url
from tests.samples import item
from tests.unit.fake import Answers, Fake

MakeFake = Callable[[Answers], Fake]


def jpeg(width: int = 8) -> bytes:
    """A small picture."""
    file = io.BytesIO()
    Image.new("RGB", (width, 8), "red").save(file, format="JPEG")
    return file.getvalue()


def asked(service: Fake, image: Any) -> str:
    """The address that a search by the picture has."""
    service.run(lambda: service.drs.search(image=image))
    url: str = json.loads(service.requests[-1].content)["query"]["image_url"]
    return url


def finding(*items: dict[str, Any]) -> Answers:
    """Finds these, and has a picture behind each link."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.startswith("/v1/share/"):
            return httpx2.Response(200, content=jpeg(2000))
        return httpx2.Response(200, json={"total": len(items), "data": items})

    return answer


def test_pictures_of_every_kind_are_questions(fake: MakeFake, tmp_path: Path) -> None:
    service = fake(finding())
    (tmp_path / "a.jpg").write_bytes(jpeg())
    expected = f"data:image/jpeg;base64,{base64.b64encode(jpeg()).decode()}"
    assert asked(service, jpeg()) == expected
    assert asked(service, tmp_path / "a.jpg") == expected
    assert asked(service, str(tmp_path / "a.jpg")) == expected
    assert asked(service, "https://example.com/a.jpg") == "https://example.com/a.jpg"
    assert asked(service, Image.new("RGB", (8, 8))).startswith("data:image/png;base64,")


def test_a_search_needs_a_question(fake: MakeFake) -> None:
    service = fake(finding())
    with pytest.raises(ValueError, match="search for words, for an image, or for both"):
        service.run(lambda: service.drs.search())
    with pytest.raises(TypeError, match="cannot search by int"):
        service.run(lambda: service.drs.search(image=7))


def test_found_pages_have_pictures(fake: MakeFake) -> None:
    service = fake(finding(item(2, score=0.5, text="Heating", neighbours=[item(1), item(3)])))
    (hit,) = service.run(lambda: service.drs.search("heating"))
    assert (hit.page, hit.score, hit.text, hit.file_name) == (2, 0.5, "Heating", "minutes.pdf")
    assert [near.page for near in hit.neighbours] == [1, 3]
    assert service.run(hit.picture) == jpeg(2000)
    assert service.run(hit.pil).size == (2000, 8)
    # Fetched once.
    assert len(service.requests) == 2
    assert repr(hit) == "<page 2 of minutes.pdf, 0.50>"


def test_pictures_that_came_along_are_not_fetched(fake: MakeFake) -> None:
    service = fake(finding(item(2, picture=data_url(jpeg()))))
    hits = service.run(lambda: service.drs.search("heating", include="picture", picture_width=256))
    assert service.run(hits[0].picture) == jpeg()
    assert data_url(jpeg()) in hits._repr_html_()
    assert json.loads(service.requests[0].content)["pictureWidth"] == 256
    assert len(service.requests) == 1
    assert service.run(lambda: hits[0].picture(1024)) == jpeg(2000)
    assert service.requests[-1].url.params["width"] == "1024"


def test_other_formats_are_no_pictures(fake: MakeFake) -> None:
    service = fake(finding(item(2, row="pdf")))
    (hit,) = service.run(lambda: service.drs.search("heating", row="pdf"))
    with pytest.raises(ValueError, match='search with row="jpg"'):
        service.run(hit.picture)
    assert "<img" not in hit._repr_html_()


def test_notebooks_show_pictures_that_stay(fake: MakeFake) -> None:
    service = fake(finding(item(2, score=0.5, fileName="<b>.pdf")))
    hits = service.run(lambda: service.drs.search("heating"))
    service.run(hits.fetch_pictures)
    html = hits._repr_html_()
    assert "page 2 of &lt;b&gt;.pdf, 0.50" in html
    data = html.split("data:image/jpeg;base64,")[1].split('"')[0]
    assert base64.b64decode(data) == jpeg(2000)
    # Smaller than the page, so that the notebook stays small.
    assert service.requests[-1].url.params["width"] == "512"


def test_nothing_found_is_said(fake: MakeFake) -> None:
    service = fake(finding())
    hits = service.run(lambda: service.drs.search("heating"))
    assert "No pages found" in hits._repr_html_()
    assert len(hits) == 0


def test_several_searches_find_pages_with_pictures(fake: MakeFake) -> None:
    outcomes = [
        {"success": True, "total": 1, "data": [item(2, score=0.5, picture=data_url(jpeg()))], "incomplete": True},
        {"success": False, "total": 0, "data": [], "error": "there is no dataset ds_1", "code": "NOT_FOUND"},
    ]
    answered = {"success": True, "total": 2, "data": outcomes}
    service = fake(lambda _request: httpx2.Response(200, json=answered))
    searches = ["heating", Query(image=jpeg(), dataset_ids="ds_1", file_ext="pdf", include="picture", limit=3)]
    hits, missing = service.run(lambda: service.drs.search_many(searches, return_exceptions=True))
    assert [(hit.page, service.run(hit.picture)) for hit in hits] == [(2, jpeg())]
    assert hits.incomplete
    assert isinstance(missing, NotFoundError)
    assert json.loads(service.requests[0].content) == {
        "searches": [
            {"query": {"text": "heating"}},
            {
                "query": {"image_url": data_url(jpeg())},
                "datasetIds": ["ds_1"],
                "fileExt": ["pdf"],
                "include": ["picture"],
                "limit": 3,
            },
        ]
    }
    with pytest.raises(NotFoundError, match="there is no dataset ds_1"):
        service.run(lambda: service.drs.search_many(searches))
    with pytest.raises(ValueError, match="search for words, for an image, or for both"):
        service.run(lambda: service.drs.search_many([Query(limit=1)]))
