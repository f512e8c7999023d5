"""What the service answers, and documents for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

created_at = 1_700_000_000_000


def job(status: str = "SUCCESS", **facts: Any) -> dict[str, Any]:
    """A job as the service writes it."""
    return {
        "id": "dsj_1",
        "datasetId": "ds_1",
        "type": "datasets/extract",
        "status": status,
        "statusText": "",
        "createdAt": created_at,
        "progress": {"stage": "done", "pagesDone": 3, "pagesTotal": 3},
        "failures": [],
        "warnings": [],
        **facts,
    }


def item(col: int = 1, **facts: Any) -> dict[str, Any]:
    """A rendition of a page as the service writes it."""
    return {
        "id": f"dsx_{col}",
        "col": col,
        "row": "jpg",
        "createdAt": created_at,
        "share": {"url": f"http://drs.test/v1/share/dsx_{col}?token=t", "token": "t", "expiresAt": None},
        "datasetId": "ds_1",
        "fileName": "minutes.pdf",
        "pageCount": 3,
        **facts,
    }


def dataset(number: int = 1, **facts: Any) -> dict[str, Any]:
    """A dataset as the service writes it."""
    return {
        "id": f"ds_{number}",
        "workspaceId": "ws_1",
        "type": "doc",
        "itemCount": 3,
        "fileName": "minutes.pdf",
        "fileExt": "pdf",
        "mimeType": "application/pdf",
        "fileSize": 1234,
        "createdAt": created_at,
        "updatedAt": None,
        "expiresAt": None,
        "share": {"url": f"http://drs.test/v1/share/ds_{number}?token=t", "token": "t"},
        "sha256": "",
        **facts,
    }


def pdf(texts: Sequence[str], padding: bytes = b"") -> bytes:
    """A PDF (ISO 32000) with a page for each text; the padding is a comment in its middle."""
    pages = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(texts)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(texts)} /Kids [{pages}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, text in enumerate(texts):
        drawn = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n".encode() + drawn + b"\nendstream")
    body = b"%PDF-1.7\n" + (b"" if not padding else b"%" + padding + b"\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        body
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
        ).encode()
    )
