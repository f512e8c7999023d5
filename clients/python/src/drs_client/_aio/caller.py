"""Sends requests to the service."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import httpx2

from drs_client._aio.runtime import HttpClient, Transport, pause
from drs_client.errors import DrsError, error_of, error_of_response, unreachable
from drs_client.json_values import JsonValue
from drs_client.methods import Method, answer_of, call_of
from drs_client.retry import Backoff, CallRetries, call_retries
from drs_client.settings import Settings

T = TypeVar("T")


class AsyncCaller:
    """Sends requests to one service, with the key for it. Every failure is a `DrsError`."""

    def __init__(self, settings: Settings, *, timeout_seconds: float, transport: Transport | None) -> None:
        self.server = settings.server
        credentials = {"user-agent": "drs-client-python"}
        if settings.api_key is not None:
            credentials["x-api-key"] = settings.api_key
        if settings.workspace is not None:
            credentials["x-workspace"] = settings.workspace
        self._credentials = credentials
        self.timeout_seconds = timeout_seconds
        self._client = HttpClient(
            # A redirect would send the key wherever it leads.
            follow_redirects=False,
            timeout=timeout_seconds,
            transport=transport,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def call(
        self,
        method: Method,
        fields: Mapping[str, JsonValue],
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
    ) -> JsonValue:
        """Calls a method. If only the response was lost, calls that create something or change nothing are repeated."""
        call = call_of(method, fields)
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())} if method.creates else {}

        async def once() -> JsonValue:
            request = self._client.build_request(
                call.verb,
                self.server + call.path,
                params=call.query or None,
                json=call.json,
                headers={**self._credentials, **headers},
                timeout=timeout_seconds or self.timeout_seconds,
            )
            return answer_of(method, await self.read_json(request))

        if not method.creates and not method.is_safe:
            return await once()
        return await retried(once, Backoff(call_retries), CallRetries().may_retry)

    async def send_form(
        self,
        path: str,
        headers: Mapping[str, str],
        content: AsyncIterator[bytes],
        silence_seconds: float,
        verb: str = "POST",
    ) -> JsonValue:
        """Sends a body of known length that is generated while it is read; returns the parsed response."""
        request = self._client.build_request(
            verb,
            self.server + path,
            content=content,
            headers={**self._credentials, **headers},
            timeout=silence_seconds,
        )
        return await self.read_json(request)

    async def read_json(self, request: httpx2.Request) -> JsonValue:
        """Sends a request and parses the response."""
        response = await self._send(request)
        try:
            parsed: JsonValue = response.json()
        except ValueError as cause:
            message = f"{self.server} answered with something else than JSON; check its address"
            raise error_of("internal", message, status=response.status_code) from cause
        return parsed

    async def fetch(self, url: str) -> bytes:
        """Returns the bytes behind a share link, which needs no key and may redirect to a store."""
        request = self._client.build_request("GET", url)
        response = await self._send(request, follow_redirects=True)
        return response.content

    @asynccontextmanager
    async def stream(
        self, path: str, headers: Mapping[str, str], silence_seconds: float
    ) -> AsyncIterator[httpx2.Response]:
        """Yields the response to a GET request while it arrives."""
        request = self._client.build_request(
            "GET", self.server + path, headers={**self._credentials, **headers}, timeout=silence_seconds
        )
        response = await self._send(request, stream=True)
        try:
            yield response
        except httpx2.TransportError as cause:
            raise self._failure(request, cause) from cause
        finally:
            await response.aclose()

    async def _send(
        self, request: httpx2.Request, *, stream: bool = False, follow_redirects: bool = False
    ) -> httpx2.Response:
        try:
            response = await self._client.send(request, stream=stream, follow_redirects=follow_redirects)
            if response.is_success:
                return response
            body = await response.aread()
            await response.aclose()
        except httpx2.TransportError as cause:
            raise self._failure(request, cause) from cause
        raise error_of_response(response.status_code, response.reason_phrase, response.headers, body)

    def _failure(self, request: httpx2.Request, cause: httpx2.TransportError) -> DrsError:
        if isinstance(cause, httpx2.ReadTimeout | httpx2.WriteTimeout):
            return error_of("deadline_exceeded", f"{self.server} did not answer in time")
        origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
        never = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
        return unreachable(origin, cause, never_connected=never)


async def retried(
    work: Callable[[], Awaitable[T]],
    backoff: Backoff,
    may_retry: Callable[[DrsError], bool],
    on_pause: Callable[[], None] | None = None,
) -> T:
    """Runs the work, and repeats it while its failures may pass."""
    tries = 0
    while True:
        tries += 1
        try:
            result = await work()
        except DrsError as error:
            seconds = backoff.pause_after(error, tries) if may_retry(error) else None
            if seconds is None:
                raise
            if on_pause is not None:
                on_pause()
            await pause(seconds)
        else:
            backoff.succeeded()
            return result
