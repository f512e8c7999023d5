"""A service that answers what a test says, and both kinds of client for it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import httpx2

from drs_client import AsyncDrs, Drs

Answer = httpx2.Response | Exception
Answers = Callable[[httpx2.Request], Answer]


class Fake:
    """Either kind of client, over requests that are taken down."""

    def __init__(self, kind: str, answers: Answers) -> None:
        self.requests: list[httpx2.Request] = []
        self._answers = answers
        transport = httpx2.MockTransport(self._handle)
        options: dict[str, Any] = {"api_key": "key", "transport": transport}
        self.drs: Any = (Drs if kind == "sync" else AsyncDrs)("http://drs.test", **options)

    def _handle(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self._answers(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def run(self, make: Callable[[], Any]) -> Any:
        """What a call comes to, for asyncio in a loop of its own."""

        async def awaited() -> Any:
            value = make()
            if inspect.isawaitable(value):
                return await value
            if isinstance(value, AsyncIterator):
                return [one async for one in value]
            return value

        value = asyncio.run(awaited())
        return list(value) if inspect.isgenerator(value) else value

    @property
    def paths(self) -> list[str]:
        """Where the requests went."""
        return [request.url.path for request in self.requests]


def ok(data: Any) -> httpx2.Response:
    """An answer in its envelope."""
    return httpx2.Response(200, json={"success": True, "total": 1, "data": data})


def refused(status: int, code: str, **headers: str) -> httpx2.Response:
    """A refusal as the service words it."""
    body = {"success": False, "error": f"this is {code}", "code": code}
    return httpx2.Response(status, json=body, headers={"x-request-id": "req_1", **headers})


def events(*lines: str) -> httpx2.Response:
    """A stream of server-sent events."""
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text="".join(lines))


def in_turn(answers: Iterable[Answer]) -> Answers:
    """One answer after the other, whatever is asked."""
    left = iter(answers)
    return lambda _request: next(left)
