"""Python client of the drs document page-retrieval service: `Drs`, and `AsyncDrs` for asyncio."""

from drs_client._aio.client import AsyncDrs
from drs_client._aio.hits import AsyncHit, AsyncHits
from drs_client._aio.jobs import AsyncJobHandle
from drs_client._sync.client import Drs
from drs_client._sync.hits import Hit, Hits
from drs_client._sync.jobs import JobHandle
from drs_client.errors import (
    ConfigurationError,
    ConflictError,
    DrsError,
    InvalidRequestError,
    JobFailedError,
    LimitExceededError,
    NeverReachedError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    UnauthenticatedError,
    UnavailableError,
)
from drs_client.gen import types
from drs_client.progress import UploadProgress
from drs_client.queries import Query

__all__ = [
    "AsyncDrs",
    "AsyncHit",
    "AsyncHits",
    "AsyncJobHandle",
    "ConfigurationError",
    "ConflictError",
    "Drs",
    "DrsError",
    "Hit",
    "Hits",
    "InvalidRequestError",
    "JobFailedError",
    "JobHandle",
    "LimitExceededError",
    "NeverReachedError",
    "NotFoundError",
    "PermissionDeniedError",
    "Query",
    "ServiceError",
    "UnauthenticatedError",
    "UnavailableError",
    "UploadProgress",
    "types",
]
