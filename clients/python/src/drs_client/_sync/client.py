# Made by tools/python/write-twins.ts out of the module of the same name in _aio; not to be edited.
"""The service, for programs with asyncio."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, overload

from drs_client._sync.caller import Caller
from drs_client._sync.hits import Hits
from drs_client._sync.jobs import JobHandle
from drs_client._sync.runtime import Transport, in_thread
from drs_client._sync.uploads import upload_address, upload_document
from drs_client.documents import UploadSource, document_of
from drs_client.errors import DrsError, error_of
from drs_client.gen import types
from drs_client.gen.sync import Search, Services
from drs_client.pictures import Picture, picture_url
from drs_client.progress import UploadProgress
from drs_client.queries import Query, answer_of, request_of
from drs_client.settings import read_settings
from drs_client.upload_options import UploadOptions


class Drs(Services):
    """The service. Every failure is a `DrsError`; invalid arguments raise `ValueError` or `TypeError`."""

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        profile: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        workspace: str | None = None,
        timeout_seconds: float = 60.0,
        transport: Transport | None = None,
    ) -> None:
        """Finds the service by the arguments, else by the environment, else as the command line `drs` does.

        Args:
            server: Address of the service: "http://127.0.0.1:8420"; default: `DRS_SERVER`, the profile in use, or the
                server of this machine's data folder.
            api_key: Default: `DRS_API_KEY`, the key of the profile, or that of the data folder.
            profile: A name given to `drs login`; default: `DRS_PROFILE`.
            data_dir: The data folder of a server on this machine; default: `DRS_DATA_DIR`.
            workspace: Id or name of the workspace that a personal token calls in; default: `DRS_WORKSPACE`.
            timeout_seconds: Maximum silence in a call; uploads and watched jobs have their own limits.
            transport: Carries the requests instead of the network, for tests.
        """
        settings = read_settings(
            server=server, api_key=api_key, profile=profile, data_dir=data_dir, workspace=workspace
        )
        self._caller = Caller(settings, timeout_seconds=timeout_seconds, transport=transport)
        super().__init__(self._caller)

    @property
    def server(self) -> str:
        """Address of the service."""
        return self._caller.server

    def upload(
        self,
        source: UploadSource,
        *,
        vectorize: bool = False,
        metadata: Mapping[str, Any] | None = None,
        expires_in_days: float | None = None,
        callback_url: str | None = None,
        if_exists: Literal["create", "return"] | None = None,
        file_name: str | None = None,
        progress: Callable[[UploadProgress], None] | None = None,
        resume_file: str | os.PathLike[str] | None = None,
        idempotency_key: str | None = None,
        single_request_bytes: int = 99_000_000,
        part_bytes: int = 16 * 1024 * 1024,
        parts_at_once: int = 4,
        patience_seconds: float = 300.0,
    ) -> JobHandle:
        """Uploads a document. It retries after lost connections; nothing is created twice.

        Args:
            source: A path, an http(s) address that the service fetches itself, bytes, or a file open for reading bytes.
            vectorize: Also make its pages searchable.
            metadata: Metadata of the document, for filters: `{"customer": 42, "tags": ["draft"]}`.
            expires_in_days: Days until the dataset expires; default: never.
            callback_url: An http(s) address that is notified once when the job has ended.
            if_exists: "return": if the workspace already has the same bytes, the result is the job of that dataset,
                which stays unchanged, and only their SHA-256 is sent. Streams in parts are always sent. Default:
                "create".
            file_name: Default: that of the file, or "document".
            progress: Called with the progress, at most 20 times a second, possibly from other threads.
            resume_file: File for the state of an upload in parts: after a crash, the same call continues it. The file
                is removed at the end.
            idempotency_key: Calls with the same key take effect only once within 24 hours.
            single_request_bytes: Larger documents are sent in parts; 0 means always.
            part_bytes: 5,242,880 to 100,000,000.
            parts_at_once: Number of parts that are sent at a time, and held in memory if the source cannot be read
                twice.
            patience_seconds: How long the service may be unavailable before that is an error.
        """
        options = UploadOptions(
            vectorize=vectorize,
            metadata=metadata,
            expires_in_days=expires_in_days,
            callback_url=callback_url,
            if_exists=if_exists,
            file_name=file_name,
            idempotency_key=idempotency_key,
            progress=progress,
            resume_file=None if resume_file is None else Path(resume_file),
            single_request_bytes=single_request_bytes,
            part_bytes=part_bytes,
            parts_at_once=parts_at_once,
            patience_seconds=patience_seconds,
        )
        return self._send(source, options)

    def replace(
        self,
        dataset_id: str,
        source: UploadSource,
        *,
        vectorize: bool | None = None,
        callback_url: str | None = None,
        file_name: str | None = None,
        progress: Callable[[UploadProgress], None] | None = None,
        resume_file: str | os.PathLike[str] | None = None,
        idempotency_key: str | None = None,
        single_request_bytes: int = 99_000_000,
        part_bytes: int = 16 * 1024 * 1024,
        parts_at_once: int = 4,
        patience_seconds: float = 300.0,
    ) -> JobHandle:
        """Replaces the document of a dataset by a new version under the same id.

        Until the job has succeeded, everything shows the version before; then all of it changes at once, and links to
        the version before stop working.

        Args:
            dataset_id: Id of the dataset, ds_….
            source: As for `upload`.
            vectorize: Make its pages searchable before it replaces the version before; default: if the pages of that
                one are.
            callback_url: An http(s) address that is notified once when the job has ended.
            file_name: Default: that of the file, or "document".
            progress: As for `upload`, like the arguments below.
        """
        options = UploadOptions(
            vectorize=vectorize,
            dataset_id=dataset_id,
            metadata=None,
            expires_in_days=None,
            callback_url=callback_url,
            if_exists=None,
            file_name=file_name,
            idempotency_key=idempotency_key,
            progress=progress,
            resume_file=None if resume_file is None else Path(resume_file),
            single_request_bytes=single_request_bytes,
            part_bytes=part_bytes,
            parts_at_once=parts_at_once,
            patience_seconds=patience_seconds,
        )
        return self._send(source, options)

    def _send(self, source: UploadSource, options: UploadOptions) -> JobHandle:
        if isinstance(source, str) and source.startswith(("http://", "https://")):
            job = upload_address(self._caller, source, options)
        else:
            document = in_thread(document_of, source, options.file_name)
            job = upload_document(self._caller, document, options)
        return JobHandle(self._caller, job)

    def job(self, id: str) -> JobHandle:
        """Returns a job by its id, to wait for, watch, cancel or run again."""
        return JobHandle(self._caller, self.jobs.get(id))

    def search(
        self,
        query: str | None = None,
        *,
        image: Picture | None = None,
        dataset_ids: str | Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        file_ext: str | Sequence[str] | None = None,
        limit: int | None = None,
        row: types.ItemRow | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        min_score: float | None = None,
        neighbours: int | None = None,
        picture_width: int | None = None,
        explain: bool | None = None,
        expires_in_seconds: int | None = None,
    ) -> Hits:
        """Finds the pages that match words, a picture, or both best, in vectorized datasets.

        Args:
            query: A question, topic or idea. Pages must contain every phrase in quotation marks; a hyphen before a word
                or a phrase excludes pages that contain it.
            image: A path, an http(s) or data URL, the bytes of a picture file, or a Pillow image.
            dataset_ids: Only pages of these datasets; default: all vectorized datasets of the workspace.
            filter: Only pages of datasets whose metadata matches: `{"customer": 42, "year": {"$gte": 2020}}`.
            file_ext: Only pages of datasets with one of these extensions, such as "pdf"; default: all formats.
            limit: Maximum number of pages, 1 to 100; default 10.
            row: Rendition of the found pages that the links lead to; default "jpg".
            include: Contents that the pages include: "text", their text layer, and "picture".
            min_score: Only pages with at least this score, 0 to 1.
            neighbours: Number of pages before and after each found page that are included, 0 to 5; default 0.
            picture_width: Width of included pictures in pixels: 256, 512, 1024, 1568 or 2000; default 1024.
            explain: Whether each page includes the reasons for its score.
            expires_in_seconds: Lifetime of the links, 1 to 604800; default 600.
        """
        if query is None and image is None:
            raise ValueError("search for words, for an image, or for both")
        url = "" if image is None else in_thread(picture_url, image)
        answer = Search(self._caller).search(
            types.SearchQuery(text=query or "", image_url=url),
            dataset_ids=dataset_ids,
            filter=filter,
            file_ext=file_ext,
            limit=limit,
            row=row,
            include=include,
            min_score=min_score,
            neighbours=neighbours,
            picture_width=picture_width,
            explain=explain,
            expires_in_seconds=expires_in_seconds,
        )
        return Hits(self._caller, answer)

    @overload
    def search_many(
        self, searches: Sequence[str | Query], *, return_exceptions: Literal[False] = False
    ) -> tuple[Hits, ...]: ...

    @overload
    def search_many(
        self, searches: Sequence[str | Query], *, return_exceptions: Literal[True]
    ) -> tuple[Hits | DrsError, ...]: ...

    def search_many(
        self, searches: Sequence[str | Query], *, return_exceptions: bool = False
    ) -> tuple[Hits, ...] | tuple[Hits | DrsError, ...]:
        """Runs several searches in one request, each like `search`; the results are in the same order.

        Args:
            searches: Words, or a `Query` with other arguments of `search`; 1 to 20.
            return_exceptions: Return the error of a failed search in place of its pages. Otherwise the first error is
                raised.
        """
        requests = [in_thread(request_of, one) for one in searches]
        answer = Search(self._caller).search_many(requests)
        outcomes = [
            Hits(self._caller, answer_of(one))
            if one.success
            else error_of((one.code or "unknown").lower(), one.error or "the search failed")
            for one in answer.data
        ]
        if not return_exceptions:
            for one in outcomes:
                if isinstance(one, DrsError):
                    raise one
        return tuple(outcomes)

    def download(self, shared: types.Dataset | types.DatasetItem | types.Share | str) -> bytes:
        """Returns the bytes behind a share link, given as the link or as its dataset or item."""
        if isinstance(shared, types.Dataset | types.DatasetItem):
            shared = shared.share
        return self._caller.fetch(shared if isinstance(shared, str) else shared.url)

    def close(self) -> None:
        """Closes the connections."""
        self._caller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
