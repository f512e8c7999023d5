"""Finds the server that has a data folder of this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import re
import secrets
import socket
from pathlib import Path
from urllib.parse import urlsplit

#: A server on this machine answers at once; a stopped one never does.
_answer_seconds = 3.0
#: More than the headers of the response take.
_max_answer_bytes = 8 * 1024
_nonce_bytes = 32


def address_of_folder(folder: Path) -> str | None:
    """Returns the address that the folder's server wrote down, once the server has proved its identity.

    The server proves that it knows the secret stored beside the address, for this one connection. Only a fresh number
    is sent to it, so a program that has taken the port meanwhile gets no key.
    """
    try:
        owner = json.loads((folder / "server.json").read_text())
    except (OSError, ValueError):
        return None
    url, secret = (owner.get("url"), owner.get("secret")) if isinstance(owner, dict) else (None, None)
    if not isinstance(url, str) or not isinstance(secret, str) or not secret:
        return None
    try:
        return url if _is_proven(url, secret) else None
    except OSError:
        return None


def is_same_place(typed: str, listening: str) -> bool:
    """Returns whether a typed address reaches the server that listens at another: the same, or one of the loopback."""
    one, other = urlsplit(typed), urlsplit(listening)
    if (one.scheme, one.port or 80) != (other.scheme, other.port or 80):
        return False
    if one.hostname == other.hostname:
        return True
    listens_everywhere = other.hostname in ("0.0.0.0", "::")  # noqa: S104
    return _is_loopback(one.hostname or "") and (
        listens_everywhere or (one.hostname == "localhost" and _is_loopback(other.hostname or ""))
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_proven(url: str, secret: str) -> bool:
    parts = urlsplit(url)
    # A server on all addresses also listens on the loopback; a name could lead elsewhere.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(parts.hostname or "", parts.hostname or "")  # noqa: S104
    if parts.scheme != "http" or not _is_address(host):
        return False
    nonce = base64.urlsafe_b64encode(secrets.token_bytes(_nonce_bytes)).rstrip(b"=").decode()
    with socket.create_connection((host, parts.port or 80), timeout=_answer_seconds) as connection:
        request = f"GET /identity?nonce={nonce} HTTP/1.1\r\nhost: {parts.netloc}\r\n\r\n"
        connection.sendall(request.encode())
        head = _read_head(connection)
        address, port = connection.getpeername()[:2]
    proof = re.search(r"^drs-proof: *(\S+)\r$", head, re.IGNORECASE | re.MULTILINE)
    if not head.startswith("HTTP/1.1 204 ") or proof is None:
        return False
    plain = re.sub(r"^::ffff:(?=\d+\.)", "", address, flags=re.IGNORECASE)
    message = "\n".join(["drs server of a data folder", nonce, plain, str(port)])
    digest = hmac.new(secret.encode(), message.encode(), hashlib.sha256).digest()
    expected = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return hmac.compare_digest(expected, proof.group(1))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _read_head(connection: socket.socket) -> str:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _max_answer_bytes:
        piece = connection.recv(4096)
        if not piece:
            break
        head += piece
    return head.decode("latin-1")
