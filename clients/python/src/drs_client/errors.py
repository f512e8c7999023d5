"""The errors of the client."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drs_client.gen.types import Job


class DrsError(Exception):
    """An error of the service, or of the connection to it. Its text is a sentence for people."""

    code: str
    """The code in the spelling of Connect: not_found, unauthenticated, resource_exhausted …"""
    reason: str | None
    """The reason by which programs tell errors apart, such as DATASET_NOT_FOUND; None if the server gave none."""
    next_step: str | None
    """The next step for a person, beside the message; None if the server gave none."""
    status: int | None
    """The HTTP status; None if there was no response."""
    request_id: str | None
    """The id under which the server logged the request."""
    retry_after_seconds: float | None
    """How long the server asks to wait before the next try."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "unknown",
        reason: str | None = None,
        next_step: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.next_step = next_step
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    @property
    def message(self) -> str:
        """The sentence without the request id."""
        return str(self.args[0])

    def __str__(self) -> str:
        return self.message if self.request_id is None else f"{self.message} (request {self.request_id})"


class InvalidRequestError(DrsError):
    """The request is invalid."""


class UnauthenticatedError(DrsError):
    """The API key is missing or not valid."""


class PermissionDeniedError(DrsError):
    """The API key lacks the permission."""


class NotFoundError(DrsError):
    """There is no such thing in this workspace."""


class ConflictError(DrsError):
    """The current state does not allow the request."""


class LimitExceededError(DrsError):
    """A limit of the service, the plan or the key is reached."""


class UnavailableError(DrsError):
    """The service cannot be reached, or is not ready."""


class NeverReachedError(UnavailableError):
    """No connection to the service was made, so nothing has been sent."""


class ServiceError(DrsError):
    """The service failed, or sent a response that this client does not understand."""


class JobFailedError(DrsError):
    """A job ended without a result."""

    job: Job
    """The job as it ended."""

    def __init__(self, job: Job) -> None:
        reason = job.status_text or "the job failed"
        super().__init__(f"job {job.id}: {reason}", code="aborted" if job.canceled_at else "failed_precondition")
        self.job = job


class ConfigurationError(DrsError):
    """It is not clear which service to use, or how to sign in to it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="failed_precondition")


#: Each code with the HTTP status that it usually has, as the Connect protocol maps them.
_codes: Mapping[str, tuple[int, type[DrsError]]] = {
    "canceled": (499, ServiceError),
    "unknown": (500, ServiceError),
    "invalid_argument": (400, InvalidRequestError),
    "deadline_exceeded": (504, UnavailableError),
    "not_found": (404, NotFoundError),
    "already_exists": (409, ConflictError),
    "permission_denied": (403, PermissionDeniedError),
    "resource_exhausted": (429, LimitExceededError),
    "failed_precondition": (400, ConflictError),
    "aborted": (409, ConflictError),
    "out_of_range": (400, InvalidRequestError),
    "unimplemented": (501, ServiceError),
    "internal": (500, ServiceError),
    "unavailable": (503, UnavailableError),
    "data_loss": (500, ServiceError),
    "unauthenticated": (401, UnauthenticatedError),
}
#: Statuses that share a code, and those of proxies.
_codes_of_statuses: Mapping[int, str] = {
    400: "invalid_argument",
    409: "aborted",
    413: "resource_exhausted",
    415: "invalid_argument",
    422: "invalid_argument",
    500: "internal",
    502: "unavailable",
}


def error_of(
    code: str,
    message: str,
    *,
    reason: str | None = None,
    next_step: str | None = None,
    status: int | None = None,
    request_id: str | None = None,
    retry_after_seconds: float | None = None,
) -> DrsError:
    """Returns the exception for a code."""
    _, kind = _codes.get(code, (0, DrsError))
    return kind(
        message,
        code=code,
        reason=reason,
        next_step=next_step,
        status=status,
        request_id=request_id,
        retry_after_seconds=retry_after_seconds,
    )


def error_of_response(status: int, phrase: str, headers: Mapping[str, str], body: bytes) -> DrsError:
    """Converts the failure of a call: `{success: false, error, code, reason, next}`, or what a proxy has returned."""
    said = _members_of(body)
    named = str(said.get("code", "")).lower()
    code = named if named in _codes else _code_of_status(status)
    message = said.get("error")
    reason, next_step = said.get("reason"), said.get("next")
    return error_of(
        code,
        message if isinstance(message, str) else f"the server answered {status} {phrase}".strip(),
        reason=reason if isinstance(reason, str) else None,
        next_step=next_step if isinstance(next_step, str) else None,
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after_seconds=_seconds_of(headers.get("retry-after", "")),
    )


def unreachable(server: str, cause: BaseException, *, never_connected: bool = False) -> DrsError:
    """Returns the error for a server that did not answer, or a broken connection."""
    reason = str(cause)
    kind = NeverReachedError if never_connected else UnavailableError
    return kind(f"cannot reach {server}{': ' if reason else ''}{reason}", code="unavailable")


def _members_of(body: bytes) -> Mapping[str, object]:
    try:
        said = json.loads(body)
    except ValueError:
        # The page of a proxy: only status and reason are known.
        return {}
    return said if isinstance(said, dict) else {}


def _code_of_status(status: int) -> str:
    if status in _codes_of_statuses:
        return _codes_of_statuses[status]
    for code, (usual, _) in _codes.items():
        if usual == status:
            return code
    return "invalid_argument" if 400 <= status < 500 else "unknown"


def _seconds_of(retry_after: str) -> float | None:
    """Reads seconds or a date: RFC 9110, section 10.2.3."""
    if retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
