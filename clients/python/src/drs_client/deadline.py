"""Time limits."""

from __future__ import annotations

import time


class Deadline:
    """A time on the clock of this process at which something is given up."""

    def __init__(self, seconds: float | None, message: str) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._message = message

    @property
    def is_over(self) -> bool:
        """Whether the time has passed."""
        return self._end is not None and time.monotonic() >= self._end

    def check(self) -> None:
        """Raises `TimeoutError` once the time has passed."""
        if self.is_over:
            raise TimeoutError(self._message)

    def at_most(self, seconds: float) -> float:
        """Returns the seconds, or fewer if less time is left. Raises `TimeoutError` if none is."""
        self.check()
        return seconds if self._end is None else min(seconds, max(0.0, self._end - time.monotonic()))
