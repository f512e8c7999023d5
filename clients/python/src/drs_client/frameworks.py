"""Pages for frameworks that answer questions from documents."""

from __future__ import annotations

from drs_client.gen.types import DatasetItem
from drs_client.json_values import base64_text


def text_of(item: DatasetItem) -> str:
    """Returns the page's text, with that of the neighbouring pages if they were included."""
    pages = sorted([item, *item.neighbours], key=lambda page: page.col)
    return "\n\n".join(page.text for page in pages if page.text)


def metadata_of(item: DatasetItem, picture: bytes | None = None) -> dict[str, str | int | float]:
    """Returns where the page is and how well it matches; the picture is base64."""
    metadata: dict[str, str | int | float] = {
        "source": item.file_name,
        "page": item.col,
        "page_count": item.page_count,
        "dataset_id": item.dataset_id,
        "url": item.share.url,
    }
    if item.score is not None:
        metadata["score"] = item.score
    if picture is not None:
        metadata["image"] = base64_text(picture)
        metadata["image_mime_type"] = "image/jpeg"
    return metadata
