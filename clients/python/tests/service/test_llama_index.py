"""Nodes and documents of LlamaIndex."""

from __future__ import annotations

import io
from pathlib import Path

from llama_index.core.schema import ImageNode, QueryBundle
from PIL import Image

from drs_client import AsyncDrs, Drs
from drs_client.llama_index import DrsReader, DrsRetriever
from tests.service.conftest import topics


def test_nodes_have_text_and_picture(drs: Drs, dataset_id: str) -> None:
    retriever = DrsRetriever(drs, dataset_ids=[dataset_id], similarity_top_k=1)
    (found,) = retriever.retrieve("heating")
    assert isinstance(found.node, ImageNode)
    assert found.node.text == topics[1]
    assert found.score is not None
    picture = found.node.resolve_image()
    assert isinstance(picture, io.BytesIO)
    assert Image.open(picture).format == "JPEG"


async def test_a_picture_is_a_question(drs: Drs, dataset_id: str, tmp_path: Path) -> None:
    path = tmp_path / "page.jpg"
    path.write_bytes(drs.search("roof", dataset_ids=dataset_id, limit=1)[0].picture())
    question = QueryBundle(query_str="", image_path=str(path))
    async with AsyncDrs() as client:
        for async_client in (client, None):
            retriever = DrsRetriever(
                drs, async_client=async_client, dataset_ids=[dataset_id], similarity_top_k=1, pictures=False
            )
            (found,) = await retriever.aretrieve(question)
            assert isinstance(found.node, ImageNode)
            assert found.node.text == topics[3]
            assert found.node.image_url is not None


def test_the_reader_reads_every_page(drs: Drs, dataset_id: str) -> None:
    documents = DrsReader(drs).load_data(dataset_id, cols="2:")
    assert [document.text for document in documents] == topics[1:]
    assert documents[0].metadata["page"] == 2
