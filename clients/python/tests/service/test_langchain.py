"""LangChain's own suite, and what its documents have of a page."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from drs_client import AsyncDrs, Drs
from drs_client.langchain import DrsRetriever
from tests.service.conftest import topics


@pytest.mark.usefixtures("dataset_id")
class TestRetriever(RetrieversIntegrationTests):
    """The suite for retrievers."""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return DrsRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"k": 2}

    @property
    def retriever_query_example(self) -> str:
        return "heating"


def test_documents_have_text_place_and_picture(drs: Drs, dataset_id: str) -> None:
    retriever = DrsRetriever(client=drs, dataset_ids=[dataset_id], k=1, pictures=True)
    (document,) = retriever.invoke("heating")
    assert document.page_content == topics[1]
    metadata = document.metadata
    assert (metadata["source"], metadata["page"], metadata["dataset_id"]) == ("minutes.pdf", 2, dataset_id)
    assert base64.b64decode(metadata["image"]).startswith(b"\xff\xd8\xff")


def test_options_of_the_search_go_with_a_call(drs: Drs, dataset_id: str) -> None:
    retriever = DrsRetriever(client=drs, dataset_ids=[dataset_id])
    assert retriever.invoke("heating", min_score=1.0) == []
    (document,) = retriever.invoke("heating", k=1, neighbours=1)
    assert document.page_content == "\n\n".join(topics[:3])


async def test_a_client_for_asyncio_is_used(drs: Drs, dataset_id: str) -> None:
    async with AsyncDrs() as client:
        retriever = DrsRetriever(async_client=client, dataset_ids=[dataset_id], k=1)
        (document,) = await retriever.ainvoke("roof")
    assert document.page_content == topics[3]
