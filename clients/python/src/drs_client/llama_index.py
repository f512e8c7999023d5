"""Pages as nodes and documents of LlamaIndex. Needs the extra `llama-index`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import anyio.to_thread
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document, ImageNode, NodeWithScore, QueryBundle

from drs_client._aio.client import AsyncDrs
from drs_client._sync.client import Drs
from drs_client.frameworks import metadata_of, text_of
from drs_client.gen.types import DatasetItem
from drs_client.json_values import base64_text

_picture_type = "image/jpeg"


class DrsRetriever(BaseRetriever):
    """Finds pages; each is an image node with the page's text and picture.

    The query is the words of the bundle, the picture at its `image_path`, or both.
    """

    def __init__(
        self,
        client: Drs | None = None,
        *,
        async_client: AsyncDrs | None = None,
        similarity_top_k: int = 4,
        dataset_ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        min_score: float | None = None,
        pictures: bool = True,
        **options: Any,
    ) -> None:
        """Finds the service as `Drs()` does if no client is given.

        Args:
            client: Client for `retrieve`.
            async_client: Client for `aretrieve`; default: calls go through `client`, in a thread.
            similarity_top_k: Maximum number of nodes.
            dataset_ids: Only pages of these datasets; default: all vectorized datasets of the workspace.
            filter: Only pages of datasets whose metadata matches: `{"customer": 42, "year": {"$gte": 2020}}`.
            min_score: Only pages with at least this score, 0 to 1.
            pictures: Include the pictures; otherwise nodes have only links to them, which expire.
            options: Options of LlamaIndex's own base class.
        """
        super().__init__(**options)
        self._client = client or Drs()
        self._async_client = async_client
        self._asked: dict[str, Any] = {
            "limit": similarity_top_k,
            "dataset_ids": dataset_ids,
            "filter": filter,
            "min_score": min_score,
            "include": ("text", "picture") if pictures else ("text",),
        }
        self._pictures = pictures

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._client.search(**_question(query_bundle), **self._asked)
        return [_node(hit.item, hit.picture() if self._pictures else None) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_client is None:
            return await anyio.to_thread.run_sync(self._retrieve, query_bundle)
        hits = await self._async_client.search(**_question(query_bundle), **self._asked)
        return [_node(hit.item, await hit.picture() if self._pictures else None) for hit in hits]


class DrsReader(BaseReader):
    """Reads the pages of stored datasets, one document for each page."""

    def __init__(self, client: Drs | None = None) -> None:
        self._client = client or Drs()

    def lazy_load_data(
        self, dataset_ids: str | Sequence[str] | None = None, *, cols: str | Sequence[str] | None = None
    ) -> Iterable[Document]:
        """Yields the pages with their text, by dataset and page.

        Args:
            dataset_ids: Ids of the datasets; default: all of the workspace.
            cols: Only these pages: numbers ("16") and ranges that include both ends ("5:10"); default: all.
        """
        ids = [dataset_ids] if isinstance(dataset_ids, str) else dataset_ids
        for dataset_id in ids or [dataset.id for dataset in self._client.datasets.list()]:
            for item in self._client.items.list(dataset_id, row="jpg", cols=cols, sort="col", include="text"):
                yield Document(id_=item.id, text=text_of(item), metadata=metadata_of(item))


def _question(query: QueryBundle) -> dict[str, Any]:
    return {"query": query.query_str or None, "image": query.image_path}


def _node(item: DatasetItem, picture: bytes | None) -> NodeWithScore:
    link_or_picture = {"image_url": item.share.url} if picture is None else {"image": base64_text(picture)}
    node = ImageNode(
        id_=item.id,
        text=text_of(item),
        metadata=metadata_of(item),
        image_mimetype=_picture_type,
        **link_or_picture,
    )
    node.excluded_embed_metadata_keys = node.excluded_llm_metadata_keys = ["url", "score", "dataset_id"]
    return NodeWithScore(node=node, score=item.score)
