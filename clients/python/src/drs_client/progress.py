"""Progress of uploads and jobs."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from drs_client.gen.types import Job

#: As often as a reader can see a change.
_report_every_seconds = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProgress:
    """Progress of an upload. It never goes backwards: bytes that are sent again are not subtracted."""

    sent_bytes: int
    """Bytes of the document that have been handed to the connection, or need not be sent again."""
    total_bytes: int | None
    """None until the end of a stream, whose length is not known before."""


class Meter:
    """Adds up the bytes that the requests of one upload have sent, in one or several threads."""

    def __init__(self, total_bytes: int | None, report: Callable[[UploadProgress], None] | None) -> None:
        self._lock = threading.Lock()
        self._total = total_bytes
        self._report = report
        self._arrived = 0
        self._in_flight: dict[int, int] = {}
        self._sent = 0
        self._reported_at = float("-inf")

    def sending(self, number: int, sent_bytes: int) -> None:
        """Counts the bytes of a part that have been sent in this try."""
        with self._lock:
            self._in_flight[number] = sent_bytes
            self._tell(self._total)

    def arrived(self, number: int, size: int) -> None:
        """Counts a part that has arrived."""
        with self._lock:
            self._in_flight.pop(number, None)
            self._arrived += size
            self._tell(self._total)

    def complete(self) -> None:
        """Marks the document as complete, which also makes the length of a stream known."""
        with self._lock:
            self._reported_at = float("-inf")
            self._tell(self._arrived)

    def _tell(self, total: int | None) -> None:
        if self._report is None:
            return
        self._sent = max(self._sent, self._arrived + sum(self._in_flight.values()))
        now = time.monotonic()
        if now - self._reported_at < _report_every_seconds:
            return
        self._reported_at = now
        self._report(UploadProgress(sent_bytes=self._sent, total_bytes=total))


def print_job(job: Job) -> None:
    """Shows the progress of a job in one line on standard error."""
    progress = job.progress
    pages = f" {progress.pages_done} of {progress.pages_total} pages" if progress.pages_total else ""
    end = "\n" if is_finished(job) else ""
    print(f"\r\x1b[K{job.status.lower()}: {progress.stage}{pages}", end=end, file=sys.stderr, flush=True)


def is_finished(job: Job) -> bool:
    """Returns whether the job will not change any more."""
    return job.status in ("SUCCESS", "ERROR")
