"""When a request that failed is sent again, and after which pause."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from drs_client.errors import DrsError, NeverReachedError

#: Request time-out, too many requests, and what servers and proxies answer while something behind them is away.
_passing = frozenset({408, 429, 500, 502, 503, 504})
#: A part on a slow line can take longer than all patience; it gets so many tries whatever they take.
_min_tries = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """How failures that may pass are met."""

    patience_seconds: float = 300.0
    """How long the service may fail without a single success; 0: nothing is tried again."""
    first_pause_seconds: float = 0.5
    """Longest pause after the first failure; it doubles with each."""
    max_pause_seconds: float = 30.0


#: Long enough for a server to be started anew; a call that takes milliseconds is not waited for longer.
call_retries = RetrySettings(patience_seconds=20.0, first_pause_seconds=0.25)


class Backoff:
    """Exponential backoff with full jitter, so that clients which failed together do not come back together.

    The requests of one upload share one: a success of one is a sign of life for the others.
    """

    def __init__(self, settings: RetrySettings) -> None:
        self._settings = settings
        self._failing_since: float | None = None

    def succeeded(self) -> None:
        """The service has answered."""
        self._failing_since = None

    def pause_after(self, error: DrsError, tries: int) -> float | None:
        """Seconds to wait before the next try; None: it is not to be tried again."""
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
    """Whether it need not be so a moment later."""
    if error.status is None:
        return error.code in ("unavailable", "deadline_exceeded")
    return error.status in _passing


def may_repeat(error: DrsError) -> bool:
    """Whether a request may be sent again that goes with an idempotency key.

    What fails inside the service most likely fails again. A conflict that says when to come back is still at work on
    the first try.
    """
    if error.status == 409:
        return error.retry_after_seconds is not None
    return error.status != 500 and may_pass(error)


class CallRetries:
    """Decides for a single call. A service that was never reached is not waited for, and a full one is not pressed."""

    def __init__(self) -> None:
        self._was_reached = False

    def may_retry(self, error: DrsError) -> bool:
        """Whether to send it again."""
        self._was_reached = self._was_reached or not isinstance(error, NeverReachedError)
        return self._was_reached and error.status != 429 and may_repeat(error)
