"""What notebooks show of found pages."""

from __future__ import annotations

import io
from html import escape

from drs_client.gen.types import DatasetItem
from drs_client.pictures import data_url

#: Wide enough to read headings, small enough for ten of them in a notebook.
_picture_width = 320


def html_of_hit(item: DatasetItem, picture: bytes | None) -> str:
    """One page with its score. The picture is in the HTML itself, or else behind the link."""
    is_picture = item.row == "jpg"
    source = item.share.url if picture is None else data_url(_small(picture))
    shown = (
        f'<img src="{escape(source)}" alt="page {item.col}" style="width:{_picture_width}px;border:1px solid #ccc">'
        if is_picture
        else ""
    )
    return (
        f'<figure style="display:inline-block;margin:4px;vertical-align:top;max-width:{_picture_width}px">{shown}'
        f'<figcaption style="font-size:small"><a href="{escape(item.share.url)}" target="_blank">{_caption(item)}</a>'
        "</figcaption></figure>"
    )


def html_of_hits(hits: list[str], *, incomplete: bool) -> str:
    """Pages beside each other, most relevant first."""
    note = "<p>Pages may be missing: a part of the index is being rebuilt.</p>" if incomplete else ""
    return f"<div>{note}{''.join(hits)}</div>" if hits else f"<div>{note}<p>No pages found.</p></div>"


def _caption(item: DatasetItem) -> str:
    score = "" if item.score is None else f", {item.score:.2f}"
    return escape(f"page {item.col} of {item.file_name}{score}")


def _small(picture: bytes) -> bytes:
    """The picture at twice the width that it is shown at, where Pillow is there."""
    try:
        from PIL import Image
    except ImportError:
        return picture
    with Image.open(io.BytesIO(picture)) as image:
        if image.width <= 2 * _picture_width:
            return picture
        image.thumbnail((2 * _picture_width, 4 * _picture_width))
        file = io.BytesIO()
        image.convert("RGB").save(file, format="JPEG", quality=80)
        return file.getvalue()
