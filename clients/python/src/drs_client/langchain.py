"""Pages as documents of LangChain. Needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio.to_thread
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from drs_client._aio.client import AsyncDrs
from drs_client._sync.client import Drs
from drs_client.frameworks import metadata_of, text_of
from drs_client.gen.types import DatasetItem, Include


class DrsRetriever(BaseRetriever):
    """Finds pages; each is a document with the page's text, and its metadata says where the page is.

    With `pictures=True` the metadata also has the page's JPEG, as base64 in `image`.
    """

    client: Drs | None = Field(default=None, exclude=True)
    """The client; default: one for the service that `Drs()` finds."""
    async_client: AsyncDrs | None = Field(default=None, exclude=True)
    """The client for `ainvoke`; default: calls go through `client`, in a thread."""
    k: int = 4
    """Maximum number of documents."""
    dataset_ids: Sequence[str] | None = None
    """Only pages of these datasets; default: all vectorized datasets of the workspace."""
    filter: Mapping[str, Any] | None = None
    """Only pages of datasets whose metadata matches: `{"customer": 42, "year": {"$gte": 2020}}`."""
    min_score: float | None = None
    """Only pages with at least this score, 0 to 1."""
    pictures: bool = False

    _found: Drs | None = PrivateAttr(default=None)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return self._find(query, options)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        if self.async_client is None:
            return await anyio.to_thread.run_sync(self._find, query, options)
        hits = await self.async_client.search(query, **self._asked(options))
        return [_document(hit.item, await hit.picture() if self.pictures else None) for hit in hits]

    def _find(self, query: str, options: dict[str, Any]) -> list[Document]:
        hits = self._client().search(query, **self._asked(options))
        return [_document(hit.item, hit.picture() if self.pictures else None) for hit in hits]

    def _client(self) -> Drs:
        if self.client is not None:
            return self.client
        if self._found is None:
            self._found = Drs()
        return self._found

    def _asked(self, options: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments of the search; `k` and other options may be given for a single call."""
        include: tuple[Include, ...] = ("text", "picture") if self.pictures else ("text",)
        return {
            "limit": options.pop("k", self.k),
            "dataset_ids": self.dataset_ids,
            "filter": self.filter,
            "min_score": self.min_score,
            "include": include,
            **options,
        }


def _document(item: DatasetItem, picture: bytes | None) -> Document:
    return Document(id=item.id, page_content=text_of(item), metadata=metadata_of(item, picture))
