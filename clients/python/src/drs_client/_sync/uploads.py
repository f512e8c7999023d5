# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.
"""Sends documents in one request or in parts; memory use does not depend on their size."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Callable, Sequence
from urllib.parse import quote

from drs_client._sync.caller import Caller, retried
from drs_client._sync.runtime import in_thread, run_lanes
from drs_client.documents import Document, Part, StreamDocument, enough_part_bytes, kind_of, sha256_of
from drs_client.errors import DrsError, NotFoundError, error_of
from drs_client.gen import methods, types
from drs_client.gen.sync import Jobs, Uploads
from drs_client.json_values import JsonObject, JsonValue
from drs_client.methods import answer_of
from drs_client.multipart import MultipartBody
from drs_client.progress import Meter
from drs_client.retry import Backoff, RetrySettings, may_pass, may_repeat
from drs_client.upload_options import UploadOptions
from drs_client.upload_state import UploadState, read_state, write_state

#: A connection that is idle for longer counts as dead.
_silence_seconds = 120.0
#: Assembling the parts of a large document takes a while, and asking again does not restart it.
_end_timeout_seconds = 600.0


def upload_address(caller: Caller, url: str, options: UploadOptions) -> types.Job:
    """Lets the service fetch the document itself; the job reports the progress."""
    named = [] if options.file_name is None else [("fileName", options.file_name)]
    fields = [("url", url), *named, *options.form_fields]
    return _send_once(caller, options, lambda: MultipartBody(fields, "", None), Meter(None, None))


def upload_document(caller: Caller, document: Document, options: UploadOptions) -> types.Job:
    """Sends a document: a small one in one request, a large one in parts."""
    if document.size is None and isinstance(document, StreamDocument):
        # A stream that ends within its first part needs no session.
        in_thread(document.probe, min(options.part_bytes, options.single_request_bytes))
    size = document.size
    resume = None if options.resume_file is None else in_thread(read_state, options.resume_file)
    if size == 0 or (resume is None and size is not None and size <= options.single_request_bytes):
        return _upload_whole(caller, document, size, options)
    return _PartedUpload(caller, document, options).run(resume)


def _upload_whole(caller: Caller, document: Document, size: int, options: UploadOptions) -> types.Job:
    meter = Meter(size, options.progress)
    part = in_thread(document.next_part, max(size, 1))
    if part is None:
        raise ValueError("the document has been read already")
    whole = part
    fields = options.form_fields
    if options.if_exists == "return":
        fields.append(("sha256", in_thread(sha256_of, whole)))
    job = _send_once(caller, options, lambda: MultipartBody(fields, document.file_name, whole), meter)
    meter.arrived(1, size)
    meter.complete()
    return job


def _send_once(
    caller: Caller, options: UploadOptions, make_body: Callable[[], MultipartBody], meter: Meter
) -> types.Job:
    """Sends a request. All tries use the same idempotency key: if only the response was lost, the next try gets it."""
    if options.dataset_id is None:
        method = methods.VECTORIZE if options.vectorize else methods.EXTRACT
        path = method.path
    else:
        method = methods.REPLACE_FILE
        path = method.path.replace("{id}", quote(options.dataset_id, safe=""))
    key = {"idempotency-key": options.idempotency_key or str(uuid.uuid4())}

    def once() -> JsonValue:
        body = make_body()
        content = _content(body, lambda sent: meter.sending(1, sent), None)
        return caller.send_form(path, {**body.headers, **key}, content, _silence_seconds, method.verb)

    answer = retried(once, Backoff(_retries(options)), may_repeat)
    return types.Job.from_json(answer_of(method, answer))


def _content(
    body: MultipartBody, on_sent: Callable[[int], None], go_on: Callable[[], None] | None
) -> Iterator[bytes]:
    sent = 0
    pieces = body.read()
    while True:
        piece = in_thread(next, pieces, None)
        if piece is None:
            return
        if go_on is not None:
            go_on()
        data, of_file = piece
        yield data
        sent += of_file
        on_sent(sent)


def _retries(options: UploadOptions) -> RetrySettings:
    return RetrySettings(patience_seconds=options.patience_seconds)


class _PartedUpload:
    """One upload in parts."""

    def __init__(self, caller: Caller, document: Document, options: UploadOptions) -> None:
        self._caller = caller
        self._uploads = Uploads(caller)
        self._document = document
        self._options = options
        self._backoff = Backoff(_retries(options))
        self._meter = Meter(document.size, options.progress)
        self._known: dict[int, types.UploadPart] = {}
        self._arrived: dict[int, types.UploadPart] = {}

    def run(self, resume: UploadState | None) -> types.Job:
        """Resumes the earlier session, or starts one; ends it with all parts."""
        state = None
        if resume is not None:
            resumed = self._resume(resume)
            if isinstance(resumed, types.Job):
                self._forget()
                return resumed
            state = resumed
        if state is None:
            started = self._start()
            if isinstance(started, types.Job):
                return started
            state = started
        session = state
        if self._options.resume_file is not None:
            in_thread(write_state, self._options.resume_file, session)
        try:
            run_lanes(self._options.parts_at_once, lambda go_on: self._run_lane(session, go_on))
            self._meter.complete()
            job = self._end(session)
        except DrsError as error:
            self._discard_if_refused(session, error)
            raise
        self._forget()
        return job

    def _forget(self) -> None:
        if self._options.resume_file is not None:
            in_thread(self._options.resume_file.unlink, missing_ok=True)

    def _start(self) -> UploadState | types.Job:
        options, document = self._options, self._document
        extension, media_type = in_thread(kind_of, document)
        key = options.idempotency_key or str(uuid.uuid4())
        sha256 = in_thread(document.sha256) if options.if_exists == "return" else None

        def once() -> types.StartedUpload:
            return self._uploads.start(
                document.file_name,
                extension,
                media_type,
                _job_type_of(options),
                dataset_id=options.dataset_id,
                expiry_in_days=options.expires_in_days,
                metadata=options.metadata,
                callback_url=options.callback_url,
                file_size=document.size,
                if_exists=None if sha256 is None else "return",
                sha256=sha256,
                idempotency_key=key,
            )

        started = retried(once, self._backoff, lambda error: may_pass(error) or may_repeat(error))
        if started.job is not None:
            self._forget()
            return started.job
        state = UploadState(
            key=started.key,
            server=self._caller.server,
            file_name=document.file_name,
            file_size=document.size,
            part_bytes=enough_part_bytes(document.size, options.part_bytes),
            vectorize=options.vectorize is True,
            dataset_id=options.dataset_id,
            modified_ms=document.modified_ms,
        )
        # With the caller's own key, it may be the session of an earlier call.
        earlier = None if options.idempotency_key is None else self._resume(state)
        return earlier or state

    def _resume(self, state: UploadState) -> UploadState | types.Job | None:
        """Returns the session to resume, or its job; None if it is gone, or was for another document."""
        document = self._document
        if state.server != self._caller.server or state.dataset_id != self._options.dataset_id:
            return None
        if state.vectorize != (self._options.vectorize is True):
            return None
        if not _is_same(document.size, state.file_size):
            return None

        def read() -> types.Upload:
            return self._uploads.get(state.key)

        try:
            upload = retried(read, self._backoff, may_pass)
        except NotFoundError:
            return None
        if not _is_same(document.size, upload.file_size):
            return None
        if upload.job_id is not None:
            # Its parts can no longer be compared, so a file that has changed since counts as another document.
            if not _is_same(document.modified_ms, state.modified_ms):
                return None
            return Jobs(self._caller).get(upload.job_id)
        self._known = {part.part_number: part for part in upload.parts}
        return state

    def _run_lane(self, state: UploadState, go_on: Callable[[], None]) -> None:
        while True:
            go_on()
            part = in_thread(self._document.next_part, state.part_bytes)
            if part is None:
                return
            self._arrived[part.number] = self._deliver(state, part, go_on)
            self._meter.arrived(part.number, part.size)

    def _deliver(self, state: UploadState, part: Part, go_on: Callable[[], None]) -> types.UploadPart:
        """Makes sure that the session has the part, by sending it unless it is there already."""
        known = self._known.get(part.number)
        # The document may have changed since: only its own bytes prove that a part belongs to it.
        if known is not None and known.size == part.size and known.etag == in_thread(sha256_of, part):
            return known

        def once() -> types.UploadPart:
            go_on()
            fields = [("key", state.key), ("partNumber", str(part.number))]
            body = MultipartBody(fields, state.file_name, part, "checksum")
            content = _content(body, lambda sent: self._meter.sending(part.number, sent), go_on)
            path = methods.APPEND_PART.path
            answer = self._caller.send_form(path, body.headers, content, _silence_seconds)
            have = types.UploadPart.from_json(answer_of(methods.APPEND_PART, answer))
            if have.etag != body.sha256:
                raise error_of(
                    "data_loss",
                    f"part {part.number} arrived at the server as something else (SHA-256 {have.etag}, "
                    f"not {body.sha256}); upload the document again",
                )
            return have

        return retried(once, self._backoff, may_pass)

    def _end(self, state: UploadState) -> types.Job:
        parts: Sequence[types.UploadPart] = [self._arrived[number] for number in sorted(self._arrived)]

        def once() -> types.Job:
            fields: JsonObject = {"key": state.key, "parts": [part.to_json() for part in parts]}
            answer = self._caller.call(methods.END_UPLOAD, fields, timeout_seconds=_end_timeout_seconds)
            return types.Job.from_json(answer)

        return retried(once, self._backoff, may_pass)

    def _discard_if_refused(self, state: UploadState, error: DrsError) -> None:
        """Deletes the session of a rejected document, which would only take up space; others can be resumed."""
        if error.status != 415:
            return
        self._forget()
        try:
            self._uploads.abort(state.key)
        except DrsError:
            # The caller has to see the rejection; the session also expires by itself.
            return


def _job_type_of(options: UploadOptions) -> str:
    # For a new version, the service knows whether the one before is vectorized.
    if options.dataset_id is not None and options.vectorize is None:
        return ""
    return "vectorize" if options.vectorize else "extract"


def _is_same(one: float | None, other: float | None) -> bool:
    return one is None or other is None or one == other
