# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.
"""Found pages."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from drs_client._sync.caller import Caller
from drs_client._sync.runtime import picture_for_notebook
from drs_client.gen import types
from drs_client.notebook import html_of_hit, html_of_hits, notebook_width
from drs_client.pictures import bytes_of_data_url

if TYPE_CHECKING:
    from PIL.Image import Image


likely_score = 0.2
"""About two of ten pages with this score are answers."""


class Hit:
    """A found page."""

    def __init__(self, caller: Caller, item: types.DatasetItem) -> None:
        self._caller = caller
        self.item = item
        """The page as described by the service."""
        self._pictures: dict[int | None, bytes] = {}
        if item.picture is not None:
            self._pictures[None] = bytes_of_data_url(item.picture)

    @property
    def id(self) -> str:
        """Item id, dsx_…."""
        return self.item.id

    @property
    def dataset_id(self) -> str:
        """Id of the document, ds_…."""
        return self.item.dataset_id

    @property
    def page(self) -> int:
        """Page number, from 1."""
        return self.item.col

    @property
    def file_name(self) -> str:
        """Name of the document."""
        return self.item.file_name

    @property
    def text(self) -> str | None:
        """Text layer of the page, if it was requested; empty if it has none."""
        return self.item.text

    @property
    def snippet(self) -> types.Snippet | None:
        """Its text around the words of the query, if requested; None also if it has no text layer."""
        return self.item.snippet

    @property
    def neighbours(self) -> tuple[Hit, ...]:
        """The pages before and after this one, if requested; they have no score."""
        return tuple(Hit(self._caller, item) for item in self.item.neighbours)

    @property
    def score(self) -> float:
        """Relevance from 0 to 1."""
        return self.item.score or 0.0

    @property
    def share_url(self) -> str:
        """A link to the page that needs no key and expires."""
        return self.item.share.url

    @property
    def explanation(self) -> types.Explanation | None:
        """The reasons for its score, if requested."""
        return self.item.explanation

    @property
    def fetched_picture(self) -> bytes | None:
        """The picture that was included or was fetched last."""
        return next(reversed(self._pictures.values()), None)

    def content(self) -> bytes:
        """Returns the page in the requested format."""
        return self._caller.fetch(self.share_url)

    def picture(self, width: int | None = None) -> bytes:
        """Returns the page as a JPEG, which is fetched once unless it was included.

        Args:
            width: In pixels: 256, 512, 1024, 1568 or 2000; default: that of the included picture, or 150 pixels per
                inch.

        Raises:
            ValueError: Another format was requested.
        """
        if self.item.row != "jpg" and width not in self._pictures:
            raise ValueError(f'the pages were requested as {self.item.row}; search with row="jpg" for pictures')
        if width not in self._pictures:
            url = self.share_url if width is None else f"{self.share_url}&width={width}"
            self._pictures[width] = self._caller.fetch(url)
        return self._pictures[width]

    def pil(self, width: int | None = None) -> Image:
        """Returns the page as a Pillow image; Pillow is installed by the extra `pictures`."""
        from PIL import Image

        return Image.open(io.BytesIO(self.picture(width)))

    def __repr__(self) -> str:
        return f"<page {self.page} of {self.file_name}, {self.score:.2f}>"

    def _repr_html_(self) -> str:
        return html_of_hit(self.item, picture_for_notebook(self))


class Hits(Sequence[Hit]):
    """The found pages, most relevant first."""

    def __init__(self, caller: Caller, answer: types.SearchResponse) -> None:
        self._hits = tuple(Hit(caller, item) for item in answer.data)
        self.answer = answer
        """The response of the service."""

    @property
    def incomplete(self) -> bool:
        """Whether pages may be missing, because part of the index is being rebuilt."""
        return bool(self.answer.incomplete)

    @property
    def likely(self) -> int:
        """Number of likely answers at the beginning, with a score of 0.2 or higher; 0 if nothing stored is one."""
        return sum(hit.score >= likely_score for hit in self._hits)

    def fetch_pictures(self) -> None:
        """Fetches the pictures of all pages, so that a notebook can show and store them."""
        for hit in self._hits:
            if hit.fetched_picture is None:
                hit.picture(notebook_width)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __len__(self) -> int:
        return len(self._hits)

    def __repr__(self) -> str:
        return f"<{len(self)} pages: {', '.join(repr(hit) for hit in self._hits)}>"

    def _repr_html_(self) -> str:
        return html_of_hits([hit._repr_html_() for hit in self._hits], incomplete=self.incomplete)
