"""HTML of found pages for notebooks."""

from __future__ import annotations

from html import escape

from drs_client.gen.types import DatasetItem
from drs_client.pictures import data_url

#: Width of the stored pictures in pixels: sharp enough for the display, small enough for ten of them.
notebook_width = 512
#: Displayed width in CSS pixels; wide enough to read headings.
_shown_width = 320


def html_of_hit(item: DatasetItem, picture: bytes | None) -> str:
    """Returns one page with its score. The picture is embedded in the HTML or linked."""
    is_picture = picture is not None or item.row == "jpg"
    source = item.share.url if picture is None else data_url(picture)
    shown = (
        f'<img src="{escape(source)}" alt="page {item.col}" style="width:{_shown_width}px;border:1px solid #ccc">'
        if is_picture
        else ""
    )
    return (
        f'<figure style="display:inline-block;margin:4px;vertical-align:top;max-width:{_shown_width}px">{shown}'
        f'<figcaption style="font-size:small"><a href="{escape(item.share.url)}" target="_blank">{_caption(item)}</a>'
        "</figcaption></figure>"
    )


def html_of_hits(hits: list[str], *, incomplete: bool) -> str:
    """Returns pages side by side, most relevant first."""
    note = "<p>Pages may be missing: a part of the index is being rebuilt.</p>" if incomplete else ""
    return f"<div>{note}{''.join(hits)}</div>" if hits else f"<div>{note}<p>No pages found.</p></div>"


def _caption(item: DatasetItem) -> str:
    score = "" if item.score is None else f", {item.score:.2f}"
    return escape(f"page {item.col} of {item.file_name}{score}")
