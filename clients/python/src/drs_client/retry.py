"""Decides when a failed request is sent again, and after which pause."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from drs_client.errors import DrsError, NeverReachedError

#: Request time-out, too many requests, and the statuses of servers and proxies while something behind them is away.
_passing = frozenset({408, 429, 500, 502, 503, 504})
#: Minimum number of tries, whatever they take: a part on a slow line can take longer than the time for retries.
_min_tries = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """How to retry after failures that may pass."""

    patience_seconds: float = 300.0
    """How long the service may fail without a single success; 0 disables retries."""
    first_pause_seconds: float = 0.5
    """Maximum pause after the first failure; it doubles with each failure."""
    max_pause_seconds: float = 30.0


#: Long enough for a server to restart, as calls themselves take milliseconds.
call_retries = RetrySettings(patience_seconds=20.0, first_pause_seconds=0.25)


class Backoff:
    """Exponential backoff with full jitter, so that clients which failed together do not come back together.

    The requests of one upload share it: a success of one shows that the service works for the others.
    """

    def __init__(self, settings: RetrySettings) -> None:
        self._settings = settings
        self._failing_since: float | None = None

    def succeeded(self) -> None:
        """Resets the time of failure: the service has answered."""
        self._failing_since = None

    def pause_after(self, error: DrsError, tries: int) -> float | None:
        """Returns the seconds to wait before the next try; None if there is to be none."""
        settings = self._settings
        if settings.patience_seconds == 0:
            return None
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        bound = min(settings.max_pause_seconds, settings.first_pause_seconds * 2.0 ** (tries - 1))
        pause = max(random.random() * bound, error.retry_after_seconds or 0.0)
        is_over = now - self._failing_since + pause > settings.patience_seconds
        if is_over and (tries >= _min_tries or pause > settings.patience_seconds):
            return None
        return pause


def may_pass(error: DrsError) -> bool:
    """Returns whether the failure may pass."""
    if error.status is None:
        return error.code in ("unavailable", "deadline_exceeded")
    return error.status in _passing


def may_repeat(error: DrsError) -> bool:
    """Returns whether a request with an idempotency key may be sent again.

    A failure inside the service will most likely happen again. After a conflict with a retry time, the service is still
    working on the first try.
    """
    if error.status == 409:
        return error.retry_after_seconds is not None
    return error.status != 500 and may_pass(error)


class CallRetries:
    """Decides for a single call. It does not retry if the service was never reached, or limits requests."""

    def __init__(self) -> None:
        self._was_reached = False

    def may_retry(self, error: DrsError) -> bool:
        """Returns whether to send it again."""
        self._was_reached = self._was_reached or not isinstance(error, NeverReachedError)
        return self._was_reached and error.status != 429 and may_repeat(error)
