# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.
"""Jobs, and waiting for them."""

from __future__ import annotations

import json
from collections.abc import Generator, Callable
from contextlib import closing
from typing import Literal
from urllib.parse import quote

import httpx2

from drs_client._sync.caller import Caller
from drs_client._sync.runtime import pause
from drs_client.deadline import Deadline
from drs_client.errors import DrsError, JobFailedError, error_of_response
from drs_client.gen import methods, types
from drs_client.gen.sync import Jobs
from drs_client.progress import is_finished, print_job

#: Interval of polling if the stream is not available, and the pause before another stream.
_poll_seconds = 1.0
#: A stream that is silent for longer counts as broken: three missed heartbeats.
_silence_seconds = 45.0
#: Some proxies hold streams back but let single calls through: after this many silent streams the job is polled.
_mute_streams_before_polling = 3
#: Errors that do not pass.
_final_codes = frozenset(
    {"invalid_argument", "not_found", "permission_denied", "unauthenticated", "failed_precondition"}
)


class JobHandle:
    """A job of the service, by its id."""

    def __init__(self, caller: Caller, job: types.Job) -> None:
        self._caller = caller
        self._jobs = Jobs(caller)
        self.job = job
        """The job as it was last seen."""

    @property
    def id(self) -> str:
        """Job id, dsj_…."""
        return self.job.id

    @property
    def dataset_id(self) -> str:
        """Id of the dataset that the job creates or works on, ds_…."""
        return self.job.dataset_id

    def __repr__(self) -> str:
        return f"<job {self.id}: {self.job.status.lower()}, {self.job.progress.stage}>"

    def refresh(self) -> types.Job:
        """Returns the current state."""
        self.job = self._jobs.get(self.id)
        return self.job

    def cancel(self) -> types.Job:
        """Cancels the job. Its results are removed, including the dataset if the job was creating it."""
        self.job = self._jobs.cancel(self.id)
        return self.job

    def retry(self) -> types.Job:
        """Runs the job again after it has finished: all of it if it failed, or only its failed pages."""
        self.job = self._jobs.retry(self.id)
        return self.job

    def wait(
        self,
        *,
        progress: Callable[[types.Job], None] | Literal[True] | None = None,
        timeout_seconds: float | None = None,
        check: bool = True,
    ) -> types.Job:
        """Waits until the job has finished and returns it.

        Args:
            progress: Called with the job at every change; True shows it in a line on standard error.
            timeout_seconds: How long to wait before `TimeoutError`; the job continues. Default: no limit.
            check: Raise `JobFailedError` if it ended in an error.
        """
        show = print_job if progress is True else progress
        with closing(self.watch(timeout_seconds=timeout_seconds)) as states:
            for job in states:
                if show is not None:
                    show(job)
        if check and self.job.status == "ERROR":
            raise JobFailedError(self.job)
        return self.job

    def watch(
        self, *, timeout_seconds: float | None = None, patience_seconds: float = 60.0
    ) -> Generator[types.Job, None, None]:
        """Yields the states of the job: the current one, then every change, the finished one last.

        A broken stream is continued; if streams do not get through at all, the job is polled.

        Args:
            timeout_seconds: How long to watch before `TimeoutError`.
            patience_seconds: How long the service may be unavailable before that is an error.
        """
        deadline = Deadline(timeout_seconds, f"job {self.id} has not finished in time; it continues")
        revision = ""
        mute_streams = 0
        while mute_streams < _mute_streams_before_polling:
            mute_streams += 1
            try:
                with closing(self._one_stream(revision, deadline)) as messages:
                    for revision_now, job in messages:
                        mute_streams = 0
                        # Heartbeats repeat the last state.
                        if revision_now == revision and revision != "":
                            continue
                        revision = revision_now
                        self.job = job
                        yield job
                        if is_finished(job):
                            return
                # The server ended the stream early, as it does when it drains.
            except DrsError as error:
                if error.code in _final_codes:
                    raise
                if error.code == "unimplemented":
                    break
            pause(deadline.at_most(_poll_seconds))
        with closing(self._poll(deadline, patience_seconds)) as states:
            for job in states:
                yield job

    def _one_stream(self, after_revision: str, deadline: Deadline) -> Generator[tuple[str, types.Job], None, None]:
        path = methods.WATCH_JOB.path.replace("{id}", quote(self.id, safe=""))
        headers = {"accept": "text/event-stream"}
        if after_revision != "":
            headers["last-event-id"] = after_revision
        silence = deadline.at_most(_silence_seconds)
        with self._caller.stream(path, headers, silence) as response:
            for event in httpx2.EventSource(response):
                if event.event == "error":
                    raise error_of_response(0, "", {}, event.data.encode())
                yield event.id, types.Job.from_json(json.loads(event.data))
                deadline.check()

    def _poll(self, deadline: Deadline, patience_seconds: float) -> Generator[types.Job, None, None]:
        seen: types.Job | None = None
        patience: Deadline | None = None
        while True:
            try:
                job = self._jobs.get(self.id)
            except DrsError as error:
                if error.code in _final_codes:
                    raise
                patience = patience or Deadline(patience_seconds, "")
                if patience.is_over:
                    raise
            else:
                patience = None
                self.job = job
                if job != seen:
                    yield job
                seen = job
                if is_finished(job):
                    return
            pause(deadline.at_most(_poll_seconds))
