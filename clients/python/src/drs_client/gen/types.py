"""What the service is told and what it answers. Generated from the definitions in proto/; not to be edited.

Times are aware datetimes in UTC, sizes are bytes, pages count from 1. Fields and words that a newer service sends are
passed over, or passed on as they are; fields that an older one does not send have their default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from drs_client.json_values import (
    JsonObject,
    JsonValue,
    any_object,
    many,
    maybe,
    members,
    need,
    number,
    text,
    time,
    truth,
    whole,
    word,
)

DatasetType: TypeAlias = Literal["doc", "audio", "video", "image"]
"""Kind of content of a dataset.

- `doc`: A document with pages; the only supported kind.
- `audio`: Audio; accepted as a filter, matches nothing yet.
- `video`: Video; accepted as a filter, matches nothing yet.
- `image`: An image; accepted as a filter, matches nothing yet.
"""

DeliveryStatus: TypeAlias = Literal["pending", "delivered", "failed"]
"""Delivery status of a message to a webhook.

- `pending`: Waiting to be sent or retried.
- `delivered`: Accepted by the receiver.
- `failed`: Failed; not retried.
"""

IfExists: TypeAlias = Literal["create", "return"]
"""Behaviour of an upload if the workspace already has the same bytes.

- `create`: Create another dataset.
- `return`: Return the job of the dataset that has the same bytes.
"""

Include: TypeAlias = Literal["text", "highlights", "picture", "metadata", "snippet"]
"""Content that an item can include in addition to its link.

- `text`: The page's text layer.
- `highlights`: Positions of the words of the query on the page; only in search results.
- `picture`: The page as a picture; in search results only for found pages, not for their neighbours.
- `metadata`: The metadata of the item's document.
- `snippet`: A passage of the page's text layer around the words of the query; only in search results.
"""

ItemRow: TypeAlias = Literal["pdf", "jpg", "embedding_image"]
"""Format of an item: the rendition of its page.

- `pdf`: The page as a PDF document of one page.
- `jpg`: The page as a JPEG picture.
- `embedding_image`: The page's embedding; exists once the dataset has been vectorized.
"""

JobStatus: TypeAlias = Literal["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"]
"""Status of a job. SUCCESS and ERROR are final.

- `NOT_STARTED`: Accepted; not yet read by a worker.
- `IN_QUEUE`: Waiting for a free worker.
- `IN_PROGRESS`: Being processed by a worker.
- `SUCCESS`: Finished; pages that could not be read are listed in its failures.
- `ERROR`: Ended without a result; statusText says why.
"""

JobType: TypeAlias = Literal["datasets/extract", "datasets/vectorize"]
"""Type of a job.

- `datasets/extract`: Split a document into page items.
- `datasets/vectorize`: Split a document into page items and make every page searchable.
"""

KeyScope: TypeAlias = Literal["read", "write", "search", "admin"]
"""Scope of an API key.

- `read`: List and read datasets, items and jobs.
- `write`: Upload, vectorize, cancel and delete.
- `search`: Search.
- `admin`: Manage the organisation, its workspaces, keys and members; a key with it has the rights of an owner.
"""

MemberRole: TypeAlias = Literal["owner", "admin", "member", "viewer"]
"""Role of a member of an organisation.

- `owner`: Everything, including appointing owners and reading the audit log.
- `admin`: Everything except appointing and changing owners, creating keys with the admin scope and reading the audit
    log.
- `member`: Read, search and write.
- `viewer`: Read and search.
"""

WebhookEvent: TypeAlias = Literal["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"]
"""An event that webhooks can receive.

- `job.finished`: A job ended with SUCCESS.
- `job.failed`: A job ended with ERROR, or was cancelled.
- `dataset.deleted`: A dataset was deleted, or has expired.
- `dataset.expiring`: A dataset expires soon: within a day, unless the operator has set another time.
"""

@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key."""

    id: str
    """Key id, the readable part of the key."""
    key: str | None = None
    """The key itself; only in the response to its creation."""
    workspace_id: str
    """Workspace of the key, ws_…."""
    name: str
    """Purpose of the key."""
    scopes: tuple[KeyScope, ...] = ()
    """Scopes of the key."""
    created_at: datetime
    """When it was created."""
    last_used_at: datetime | None = None
    """When it was last used, accurate to one minute; null: never."""
    revoked_at: datetime | None = None
    """When it was revoked; null: it is valid."""
    expires_at: datetime | None = None
    """When it expires; null: never."""
    requests_per_minute: int | None = None
    """Maximum number of requests per minute, in addition to the limit of its organisation; null: no limit."""
    filter: Mapping[str, Any] | None = None
    """The filter that the key is bound to: the key sees only datasets of its workspace that match, and creates and
    changes only datasets that match with every value in their metadata lists; null: no restriction.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> ApiKey:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            key=maybe(of, "key", text),
            workspace_id=need(of, "workspaceId", text),
            name=need(of, "name", text),
            scopes=many(of, "scopes", word),
            created_at=need(of, "createdAt", time),
            last_used_at=maybe(of, "lastUsedAt", time),
            revoked_at=maybe(of, "revokedAt", time),
            expires_at=maybe(of, "expiresAt", time),
            requests_per_minute=maybe(of, "requestsPerMinute", whole),
            filter=maybe(of, "filter", any_object),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """An administrative action or a deletion."""

    id: str
    """Event id, evt_…."""
    at: datetime
    """When it happened."""
    actor: str
    """Actor: a key ("key 01j…"), a member ("member mem_…") or the service itself ("service")."""
    action: str
    """Action, such as "dataset.delete", "key.create" or "member.invite"."""
    target: str
    """Target: the id of a dataset, key, member, workspace or organisation, or the name of a plan."""
    workspace_id: str
    """Workspace in which it happened; empty for actions on the organisation."""
    details: str
    """Details in a few words; they contain no secrets."""

    @classmethod
    def from_json(cls, value: JsonValue) -> AuditEvent:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            at=need(of, "at", time),
            actor=need(of, "actor", text),
            action=need(of, "action", text),
            target=need(of, "target", text),
            workspace_id=need(of, "workspaceId", text),
            details=need(of, "details", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedOrganisation:
    """A new organisation with its first workspace and key."""

    organisation: Organisation
    """The organisation."""
    workspace_id: str
    """Id of its first workspace, ws_…."""
    api_key: str
    """API key with every scope for that workspace; it is returned only here."""

    @classmethod
    def from_json(cls, value: JsonValue) -> CreatedOrganisation:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            organisation=need(of, "organisation", Organisation.from_json),
            workspace_id=need(of, "workspaceId", text),
            api_key=need(of, "apiKey", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUsage:
    """Usage at the end of a day (UTC); for today, the current usage. It is recorded every ten minutes."""

    day: str
    """The day (UTC), as year, month and day."""
    stored_bytes: int
    """All bytes that the workspace stored, counted like stored.total."""
    documents: int
    """Number of datasets of the workspace."""
    pages: int
    """Number of pages of the datasets that had been opened."""
    organisation_stored_bytes: int
    """Bytes that all workspaces of the organisation stored together."""

    @classmethod
    def from_json(cls, value: JsonValue) -> DailyUsage:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            day=need(of, "day", text),
            stored_bytes=need(of, "storedBytes", whole),
            documents=need(of, "documents", whole),
            pages=need(of, "pages", whole),
            organisation_stored_bytes=need(of, "organisationStoredBytes", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A stored document."""

    id: str
    """Dataset id, ds_…."""
    workspace_id: str
    """The workspace that owns it."""
    type: DatasetType
    """Kind of content."""
    item_count: int
    """Number of pages, equal to the largest `col`; 0 until the document has been opened."""
    file_name: str
    """Name of the uploaded file."""
    file_ext: str
    """Extension that matches the content, without a dot, such as "pdf" or "docx"."""
    mime_type: str
    """Media type of the content."""
    file_size: int
    """Size of the uploaded file in bytes; 0 until a document has been fetched from its URL."""
    created_at: datetime
    """When the upload was completed."""
    updated_at: datetime | None = None
    """When the dataset last changed."""
    expires_at: datetime | None = None
    """When the dataset expires; null: never."""
    share: Share
    """Link to the uploaded file."""
    sha256: str
    """SHA-256 of the uploaded file, hexadecimal; empty until a document has been fetched from its URL."""
    metadata: Mapping[str, Any]
    """Metadata set by the owner: fields, each with a value or a list of values."""
    searchable: bool
    """Whether searches find its pages. While the dataset is vectorized for the first time, true from the first page on.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> Dataset:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            workspace_id=need(of, "workspaceId", text),
            type=need(of, "type", word),
            item_count=need(of, "itemCount", whole),
            file_name=need(of, "fileName", text),
            file_ext=need(of, "fileExt", text),
            mime_type=need(of, "mimeType", text),
            file_size=need(of, "fileSize", whole),
            created_at=need(of, "createdAt", time),
            updated_at=maybe(of, "updatedAt", time),
            expires_at=maybe(of, "expiresAt", time),
            share=need(of, "share", Share.from_json),
            sha256=need(of, "sha256", text),
            metadata=need(of, "metadata", any_object),
            searchable=need(of, "searchable", truth),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetItem:
    """One rendition of one page."""

    id: str
    """Item id, dsx_…."""
    col: int
    """Page number, from 1."""
    row: ItemRow
    """Format of the rendition."""
    created_at: datetime
    """When the item was created."""
    share: Share
    """Link to the item's bytes."""
    value_type: str | None = None
    """Reserved; not sent."""
    score: float | None = None
    """Relevance from 0 to 1; only in search results."""
    dataset_id: str
    """The dataset that the item belongs to, ds_…."""
    file_name: str
    """Name of the document."""
    page_count: int
    """Number of pages of the document."""
    text: str | None = None
    """The page's text layer, with include "text": empty if the page has none, such as a scan, and absent if it no
    longer fits into the response. It never contains words that were recognised in a picture.
    """
    highlights: tuple[Highlight, ...] = ()
    """Positions of the words of the query in the page's text layer, with include "highlights": at most 50 boxes, most
    significant first; only in search results. Pages without a text layer have none.
    """
    picture: str | None = None
    """The page as a JPEG in a data URL, with include "picture". Absent if it no longer fits into the response or the
    page cannot be rendered.
    """
    explanation: Explanation | None = None
    """Explanation of the item's score; only in search results, with `explain`."""
    metadata: Mapping[str, Any] | None = None
    """The metadata of the document, with include "metadata". Absent if it no longer fits into the response."""
    neighbours: tuple[DatasetItem, ...] = ()
    """The pages before and after this one, with `neighbours`, in page order and without scores; only in search results.
    """
    snippet: Snippet | None = None
    """A passage of the page's text layer around the words of the query, with include "snippet"; only in search results.
    Absent if the page has no text layer, such as a scan.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> DatasetItem:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            col=need(of, "col", whole),
            row=need(of, "row", word),
            created_at=need(of, "createdAt", time),
            share=need(of, "share", Share.from_json),
            value_type=maybe(of, "valueType", text),
            score=maybe(of, "score", number),
            dataset_id=need(of, "datasetId", text),
            file_name=need(of, "fileName", text),
            page_count=need(of, "pageCount", whole),
            text=maybe(of, "text", text),
            highlights=many(of, "highlights", Highlight.from_json),
            picture=maybe(of, "picture", text),
            explanation=maybe(of, "explanation", Explanation.from_json),
            metadata=maybe(of, "metadata", any_object),
            neighbours=many(of, "neighbours", DatasetItem.from_json),
            snippet=maybe(of, "snippet", Snippet.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetsDeletion:
    """Datasets that were deleted, or that a dry run would delete."""

    dry_run: bool
    """Whether this was a dry run, which deletes nothing."""
    matching: int
    """Number of datasets that matched when the request arrived."""
    ids: tuple[str, ...] = ()
    """Ids of the deleted datasets; in a dry run, of the newest datasets that would be deleted, up to 100."""
    freed_bytes: int
    """Bytes that no longer count as stored; in a dry run, the bytes that the datasets in `ids` count now."""
    remaining: int
    """Number of matching datasets that are left for further requests."""

    @classmethod
    def from_json(cls, value: JsonValue) -> DatasetsDeletion:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            dry_run=need(of, "dryRun", truth),
            matching=need(of, "matching", whole),
            ids=many(of, "ids", text),
            freed_bytes=need(of, "freedBytes", whole),
            remaining=need(of, "remaining", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedDataset:
    """A deleted dataset."""

    id: str
    """Dataset id, ds_…."""
    freed_bytes: int
    """Bytes that no longer count as stored: the original and the PDF that it was converted to."""

    @classmethod
    def from_json(cls, value: JsonValue) -> DeletedDataset:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            freed_bytes=need(of, "freedBytes", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message to a webhook and its delivery status."""

    message_id: str
    """Id of the message, its webhook-id header; the same in all tries."""
    type: str
    """Type of the message: an event, or webhook.test."""
    payload: str
    """The body, byte for byte: JSON with type, timestamp and data."""
    status: DeliveryStatus
    """Delivery status."""
    tries: int
    """Number of tries since it was created or redelivered."""
    created_at: datetime
    """When it was created."""
    next_try_at: datetime | None = None
    """When it is tried next; null: it is not retried."""
    last_try_at: datetime | None = None
    """When it was last tried; null: never."""
    last_status: int | None = None
    """The HTTP status of the last response; null: there was none."""
    last_error: str | None = None
    """Why the last try failed; null: it did not fail."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Delivery:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            message_id=need(of, "messageId", text),
            type=need(of, "type", text),
            payload=need(of, "payload", text),
            status=need(of, "status", word),
            tries=need(of, "tries", whole),
            created_at=need(of, "createdAt", time),
            next_try_at=maybe(of, "nextTryAt", time),
            last_try_at=maybe(of, "lastTryAt", time),
            last_status=maybe(of, "lastStatus", whole),
            last_error=maybe(of, "lastError", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that waits for approval by a person. Times are milliseconds since the epoch, UTC."""

    user_code: str
    """The code that the device shows."""
    name: str
    """Name of the device."""
    created_at: datetime
    """When the sign-in began."""
    expires_at: datetime
    """When the code expires."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Device:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            user_code=need(of, "userCode", text),
            name=need(of, "name", text),
            created_at=need(of, "createdAt", time),
            expires_at=need(of, "expiresAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAuthorization:
    """A sign-in of a device that waits for approval by a person."""

    device_code: str
    """Code with which the device polls; only the device may know it."""
    user_code: str
    """Code that the device shows and the person compares."""
    verification_uri: str
    """Address at which the person enters the code."""
    verification_uri_complete: str
    """The same address with the code in it."""
    expires_at: datetime
    """When the codes expire."""
    interval_seconds: int
    """Minimum time between two polls, in seconds."""

    @classmethod
    def from_json(cls, value: JsonValue) -> DeviceAuthorization:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            device_code=need(of, "deviceCode", text),
            user_code=need(of, "userCode", text),
            verification_uri=need(of, "verificationUri", text),
            verification_uri_complete=need(of, "verificationUriComplete", text),
            expires_at=need(of, "expiresAt", time),
            interval_seconds=need(of, "intervalSeconds", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOutcome:
    """Outcome of the sign-in of a device."""

    session: PersonalSession | None = None
    """The personal token; null while the person has not answered."""

    @classmethod
    def from_json(cls, value: JsonValue) -> DeviceOutcome:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            session=maybe(of, "session", PersonalSession.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedPart:
    """A part of a score. All log-odds are natural logarithms: `base`, `likeness` and the log-odds of spaces and
    features add up to the log-odds of the part.
    """

    weight: float
    """Weight of this part in the score; the weights of all parts add up to 1."""
    probability: float
    """Probability that the page answers the query, 0 to 1."""
    log_odds: float
    """The probability as ln(p / (1 - p))."""
    base: float
    """Log-odds of a page without any evidence, given the other pages found."""
    spaces: tuple[SpaceEvidence, ...] = ()
    """Contribution of each space of the model pack that was searched."""
    likeness: float
    """Contribution of the page's similarity to the best pages, in log-odds."""
    features: tuple[FeatureEvidence, ...] = ()
    """Contributions of the second stage, from the words of the page, of its document and of the neighbouring pages;
    empty if the second stage did not read the page. Also the contribution of a page number in the query,
    `namedPage`.
    """
    words: tuple[WordEvidence, ...] = ()
    """The words of the query, without words that carry no information; empty if the second stage did not read the page.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> ExplainedPart:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            weight=need(of, "weight", number),
            probability=need(of, "probability", number),
            log_odds=need(of, "logOdds", number),
            base=need(of, "base", number),
            spaces=many(of, "spaces", SpaceEvidence.from_json),
            likeness=need(of, "likeness", number),
            features=many(of, "features", FeatureEvidence.from_json),
            words=many(of, "words", WordEvidence.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Explanation of an item's score: the weighted mean of the probabilities of its parts."""

    parts: tuple[ExplainedPart, ...] = ()
    """Parts of the score, one for each kind of query: words, a picture."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Explanation:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            parts=many(of, "parts", ExplainedPart.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureEvidence:
    """Contribution of a feature of the second stage to a score."""

    name: str
    """Name of the feature, such as pairs, window, heading, documentName or namedPage."""
    of: str
    """Object that the feature describes: page, document or neighbours."""
    value: float
    """Value of the feature."""
    log_odds: float
    """Contribution to the log-odds."""

    @classmethod
    def from_json(cls, value: JsonValue) -> FeatureEvidence:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            of=need(of, "of", text),
            value=need(of, "value", number),
            log_odds=need(of, "logOdds", number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GetItemsResponse:
    """Items of several datasets."""

    total: int
    """Number of matching items."""
    data: tuple[DatasetItem, ...] = ()
    """The items."""

    @classmethod
    def from_json(cls, value: JsonValue) -> GetItemsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", DatasetItem.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A box around adjacent words of the query on one line of a page. Lengths are fractions of the page as it is
    displayed, 0 to 1.
    """

    x: float
    """Left edge of the box, from the left edge of the page."""
    y: float
    """Top edge of the box, from the top edge of the page."""
    width: float
    """Width of the box, as a fraction of the page width."""
    height: float
    """Height of the box, as a fraction of the page height."""
    text: str
    """The words in the box, as written on the page."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Highlight:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            x=need(of, "x", number),
            y=need(of, "y", number),
            width=need(of, "width", number),
            height=need(of, "height", number),
            text=need(of, "text", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Identity of a caller."""

    organisation_id: str
    """The organisation, org_…."""
    workspace_id: str
    """The workspace, ws_…."""
    key_id: str
    """Id of the API key; empty for a personal token."""
    member_id: str
    """Id of the member; empty for an API key."""
    scopes: tuple[KeyScope, ...] = ()
    """Scopes of the key or role."""
    role: MemberRole | None = None
    """The member's role; null for an API key."""
    is_operator: bool
    """Whether the organisation operates the service: its admins create organisations and plans."""
    device_name: str | None = None
    """The device that the personal token was created for; null for other tokens and for an API key."""
    name: str
    """The name of the member or API key; a key may have none."""
    organisation_name: str
    """The name of the organisation."""
    workspace_name: str
    """The name of the workspace."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Identity:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            organisation_id=need(of, "organisationId", text),
            workspace_id=need(of, "workspaceId", text),
            key_id=need(of, "keyId", text),
            member_id=need(of, "memberId", text),
            scopes=many(of, "scopes", word),
            role=maybe(of, "role", word),
            is_operator=need(of, "isOperator", truth),
            device_name=maybe(of, "deviceName", text),
            name=need(of, "name", text),
            organisation_name=need(of, "organisationName", text),
            workspace_name=need(of, "workspaceName", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityLink:
    """An identity link in progress."""

    address: str
    """Address of the provider that the browser opens next."""

    @classmethod
    def from_json(cls, value: JsonValue) -> IdentityLink:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            address=need(of, "address", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation to an organisation."""

    id: str
    """Invitation id, inv_…."""
    name: str
    """Name of the invited person."""
    role: MemberRole
    """Role of the new member."""
    created_at: datetime
    """When it was created."""
    expires_at: datetime
    """When it expires."""
    token: str | None = None
    """Token to join with; only in the response to the creation."""
    email: str | None = None
    """Verified e-mail address with which a person also joins by signing in with the provider; null: only the token lets
    a person join.
    """
    join_url: str | None = None
    """Address at which the person joins in a browser, if the service has its console enabled; the token is in the
    fragment, which browsers do not send. Only in the response to the creation.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> Invitation:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            name=need(of, "name", text),
            role=need(of, "role", word),
            created_at=need(of, "createdAt", time),
            expires_at=need(of, "expiresAt", time),
            token=maybe(of, "token", text),
            email=maybe(of, "email", text),
            join_url=maybe(of, "joinUrl", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationOffer:
    """Details of an invitation."""

    name: str
    """Name of the invited person."""
    role: MemberRole
    """Role of the new member."""
    organisation_name: str
    """Name of the organisation."""
    expires_at: datetime
    """When it expires."""

    @classmethod
    def from_json(cls, value: JsonValue) -> InvitationOffer:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            role=need(of, "role", word),
            organisation_name=need(of, "organisationName", text),
            expires_at=need(of, "expiresAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Asynchronous work on one dataset."""

    id: str
    """Job id, dsj_…."""
    dataset_id: str
    """The dataset that the job creates or works on, ds_…."""
    type: JobType
    """Type of the job."""
    status: JobStatus
    """Status of the job."""
    status_text: str | None = None
    """The reason for an error, or for waiting for the next try; empty after success, null otherwise."""
    started_at: datetime | None = None
    """When work started."""
    finished_at: datetime | None = None
    """When the job reached its final status."""
    canceled_at: datetime | None = None
    """When the job was cancelled."""
    created_at: datetime
    """When the job was accepted."""
    updated_at: datetime | None = None
    """When the job last changed."""
    progress: JobProgress
    """Progress of the job."""
    failures: tuple[PageFailure, ...] = ()
    """Pages that could not be processed, by page number; the other pages are unaffected."""
    warnings: tuple[JobWarning, ...] = ()
    """Losses: content of the document that its pages do not show as it is. The job may still succeed. At most 50."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Job:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            dataset_id=need(of, "datasetId", text),
            type=need(of, "type", word),
            status=need(of, "status", word),
            status_text=maybe(of, "statusText", text),
            started_at=maybe(of, "startedAt", time),
            finished_at=maybe(of, "finishedAt", time),
            canceled_at=maybe(of, "canceledAt", time),
            created_at=need(of, "createdAt", time),
            updated_at=maybe(of, "updatedAt", time),
            progress=need(of, "progress", JobProgress.from_json),
            failures=many(of, "failures", PageFailure.from_json),
            warnings=many(of, "warnings", JobWarning.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """Progress of a job."""

    stage: str
    """Current stage: "queue", "fetch", "convert", "read", "render", "embed", "index" or "done"."""
    pages_done: int
    """Pages finished in this stage."""
    pages_total: int
    """Pages of the document; 0 until it has been opened."""
    bytes_done: int | None = None
    """Bytes received so far, while the document is fetched from its URL."""
    bytes_total: int | None = None
    """Size of the document in bytes, while it is fetched from its URL; absent if the remote server does not report it.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> JobProgress:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            stage=need(of, "stage", text),
            pages_done=need(of, "pagesDone", whole),
            pages_total=need(of, "pagesTotal", whole),
            bytes_done=maybe(of, "bytesDone", whole),
            bytes_total=maybe(of, "bytesTotal", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWarning:
    """Content of a document that its pages do not show as it is."""

    code: str
    """Kind of loss: "alt_chunk" (a part in another format inside a text document), "formula" (a box with a formula),
    "chart", "font" (characters that no font has), "locale" (dates and numbers in the format of a language) or
    "missing_words". Later versions may add others.
    """
    message: str
    """Message for the owner of the document: the loss, its place and the action to take."""
    page: int | None = None
    """Page number, from 1; absent if it is not known."""

    @classmethod
    def from_json(cls, value: JsonValue) -> JobWarning:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            code=need(of, "code", text),
            message=need(of, "message", text),
            page=maybe(of, "page", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRotation:
    """A replacement of the key that signs links."""

    rotated_at: datetime
    """When the new key came into use."""
    older_end_by: float
    """When the last link signed with an older key will have expired, milliseconds since the epoch, UTC."""

    @classmethod
    def from_json(cls, value: JsonValue) -> LinkRotation:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            rotated_at=need(of, "rotatedAt", time),
            older_end_by=need(of, "olderEndBy", number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAuditEventsResponse:
    """A page of the audit log."""

    total: int
    """Number of matching events."""
    data: tuple[AuditEvent, ...] = ()
    """The events."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListAuditEventsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", AuditEvent.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDatasetsResponse:
    """A page of the list of datasets."""

    total: int
    """Number of matching datasets."""
    data: tuple[Dataset, ...] = ()
    """The datasets."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListDatasetsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Dataset.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDeliveriesResponse:
    """Messages to a webhook."""

    total: int
    """Number of matching messages."""
    data: tuple[Delivery, ...] = ()
    """The messages."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListDeliveriesResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Delivery.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListIdentitiesResponse:
    """The linked identities of the caller."""

    total: int
    """Number of entries."""
    data: tuple[ProviderIdentity, ...] = ()
    """The identities, one for each provider and person."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListIdentitiesResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", ProviderIdentity.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInvitationsResponse:
    """Open invitations."""

    total: int
    """Number of entries."""
    data: tuple[Invitation, ...] = ()
    """The invitations, without their tokens."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListInvitationsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Invitation.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItemsResponse:
    """A page of the list of items."""

    sort: tuple[str, ...] = ()
    """Properties that the list is sorted by."""
    offset: int
    """Number of matching items that were skipped."""
    limit: int
    """The limit that was applied."""
    total: int
    """Number of matching items."""
    data: tuple[DatasetItem, ...] = ()
    """The items."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListItemsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            sort=many(of, "sort", text),
            offset=need(of, "offset", whole),
            limit=need(of, "limit", whole),
            total=need(of, "total", whole),
            data=many(of, "data", DatasetItem.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobsResponse:
    """A page of the list of recent jobs."""

    statuses: tuple[JobStatus, ...] = ()
    """The statuses of the request."""
    sort: tuple[str, ...] = ()
    """Properties that the list is sorted by."""
    order_by: tuple[str, ...] = ()
    """The same as sort."""
    total: int
    """Number of matching jobs."""
    offset: int
    """Number of matching jobs that were skipped."""
    limit: int
    """The limit that was applied."""
    data: tuple[Job, ...] = ()
    """The jobs."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListJobsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            statuses=many(of, "statuses", word),
            sort=many(of, "sort", text),
            order_by=many(of, "orderBy", text),
            total=need(of, "total", whole),
            offset=need(of, "offset", whole),
            limit=need(of, "limit", whole),
            data=many(of, "data", Job.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeysResponse:
    """API keys of the organisation."""

    total: int
    """Number of entries."""
    data: tuple[ApiKey, ...] = ()
    """The keys, without their secrets."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListKeysResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", ApiKey.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMembersResponse:
    """The members."""

    total: int
    """Number of entries."""
    data: tuple[Member, ...] = ()
    """The members."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListMembersResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Member.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOrganisationsResponse:
    """Organisations."""

    total: int
    """Number of entries."""
    data: tuple[Organisation, ...] = ()
    """The organisations."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListOrganisationsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Organisation.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlansResponse:
    """Plans."""

    total: int
    """Number of entries."""
    data: tuple[Plan, ...] = ()
    """The plans."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListPlansResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Plan.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessionsResponse:
    """The sessions of the caller."""

    total: int
    """Number of sessions."""
    data: tuple[Session, ...] = ()
    """The sessions."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListSessionsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Session.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTokensResponse:
    """Personal tokens."""

    total: int
    """Number of entries."""
    data: tuple[PersonalToken, ...] = ()
    """The tokens."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListTokensResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", PersonalToken.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListUploadsResponse:
    """A page of the list of open sessions."""

    total: int
    """Number of open sessions."""
    data: tuple[Upload, ...] = ()
    """The sessions."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListUploadsResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Upload.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWebhooksResponse:
    """The workspace's webhooks."""

    total: int
    """Number of entries."""
    data: tuple[Webhook, ...] = ()
    """The webhooks."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListWebhooksResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Webhook.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWorkspacesResponse:
    """The organisation's workspaces."""

    total: int
    """Number of entries."""
    data: tuple[Workspace, ...] = ()
    """The workspaces."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ListWorkspacesResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", Workspace.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of an organisation."""

    id: str
    """Member id, mem_…."""
    name: str
    """Name, as given in the invitation or when joining."""
    role: MemberRole
    """Role of the member."""
    created_at: datetime
    """When the member joined."""
    last_used_at: datetime | None = None
    """When the member last made a request, accurate to one minute; null: never."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Member:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            name=need(of, "name", text),
            role=need(of, "role", word),
            created_at=need(of, "createdAt", time),
            last_used_at=maybe(of, "lastUsedAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model pack."""

    id: str
    """Name and version, such as "builtin@1.0.0"."""
    place: str
    """Source of the pack: "builtin", "installed", "folder" (named by the server's settings), or "gone" for a pack that
    is no longer on the server although datasets are still indexed with it.
    """
    in_use: bool
    """Whether datasets are vectorized with it."""
    licence: str
    """Licence, as an SPDX identifier."""
    languages: tuple[str, ...] = ()
    """Languages that it supports, as BCP 47 tags."""
    description: str
    """Description in one sentence."""
    bytes: int
    """Size of its files in bytes."""
    spaces: tuple[ModelSpace, ...] = ()
    """Spaces in which pages and queries are compared."""
    datasets: int
    """Number of datasets that are searched with it."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Model:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            place=need(of, "place", text),
            in_use=need(of, "inUse", truth),
            licence=need(of, "licence", text),
            languages=many(of, "languages", text),
            description=need(of, "description", text),
            bytes=need(of, "bytes", whole),
            spaces=many(of, "spaces", ModelSpace.from_json),
            datasets=need(of, "datasets", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailure:
    """A dataset that could not be embedded with the pack in use."""

    dataset_id: str
    """Dataset id, ds_…."""
    reason: str
    """The reason, in one sentence."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ModelFailure:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            dataset_id=need(of, "datasetId", text),
            reason=need(of, "reason", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProgress:
    """Progress of a change of the model pack. The change has finished when the sum of datasetsDone and datasetsFailed
    is datasetsTotal.
    """

    datasets_done: int
    """Number of datasets that are searched with the pack in use."""
    datasets_total: int
    """Number of datasets that have been vectorized."""
    pages_done: int
    """Number of pages that have been embedded with the pack in use."""
    pages_total: int
    """Number of pages of the vectorized datasets."""
    datasets_failed: int
    """Number of datasets that keep their old pack, because the new one could not embed them."""
    failures: tuple[ModelFailure, ...] = ()
    """Failed datasets with the reason, at most one hundred."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ModelProgress:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            datasets_done=need(of, "datasetsDone", whole),
            datasets_total=need(of, "datasetsTotal", whole),
            pages_done=need(of, "pagesDone", whole),
            pages_total=need(of, "pagesTotal", whole),
            datasets_failed=need(of, "datasetsFailed", whole),
            failures=many(of, "failures", ModelFailure.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpace:
    """One space of a model pack."""

    name: str
    """Name of the space."""
    kind: str
    """Kind of comparison, such as "lexical", "text" or "picture"."""
    dimensions: int
    """Dimensions of its vectors; 0 for a space without vectors."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ModelSpace:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            kind=need(of, "kind", text),
            dimensions=need(of, "dimensions", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The model packs of the service."""

    in_use: str
    """Id of the pack in use, such as "builtin@1.0.0"."""
    packs: tuple[Model, ...] = ()
    """The packs, the one in use first."""
    progress: ModelProgress
    """Progress of the change to the pack in use."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Models:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            in_use=need(of, "inUse", text),
            packs=many(of, "packs", Model.from_json),
            progress=need(of, "progress", ModelProgress.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyRequests:
    """Requests of one month."""

    month: str
    """The month (UTC), as year and month."""
    requests: int
    """Number of requests."""

    @classmethod
    def from_json(cls, value: JsonValue) -> MonthlyRequests:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            month=need(of, "month", text),
            requests=need(of, "requests", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcWay:
    """An OpenID Connect provider."""

    name: str
    """Display name of the provider."""
    path: str
    """Path below the address of this service that the browser opens to sign in; `?return=/path` sets the path to which
    it returns.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> OidcWay:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            path=need(of, "path", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Organisation:
    """An organisation with workspaces, members and a plan."""

    id: str
    """Organisation id, org_…."""
    name: str
    """Its name."""
    plan: str
    """Name of its plan."""
    created_at: datetime
    """When it was created."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Organisation:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            name=need(of, "name", text),
            plan=need(of, "plan", text),
            created_at=need(of, "createdAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailure:
    """A page that could not be processed."""

    page: int
    """Page number, from 1."""
    reason: str
    """The reason, in one sentence."""

    @classmethod
    def from_json(cls, value: JsonValue) -> PageFailure:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            page=need(of, "page", whole),
            reason=need(of, "reason", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalSession:
    """A new member with the personal token."""

    member: Member
    """The member."""
    token: str
    """The personal token; it is returned only here."""
    organisation_id: str
    """The organisation, org_…."""
    workspace_id: str
    """Workspace of calls without an x-workspace header, ws_…."""

    @classmethod
    def from_json(cls, value: JsonValue) -> PersonalSession:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            member=need(of, "member", Member.from_json),
            token=need(of, "token", text),
            organisation_id=need(of, "organisationId", text),
            workspace_id=need(of, "workspaceId", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalToken:
    """A personal token of a member, without its secret."""

    id: str
    """Token id."""
    device_name: str | None = None
    """The device that it was created for; null: it was issued when the member joined."""
    created_at: datetime
    """When it was created."""
    is_current: bool
    """Whether the request was made with this token."""

    @classmethod
    def from_json(cls, value: JsonValue) -> PersonalToken:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            device_name=maybe(of, "deviceName", text),
            created_at=need(of, "createdAt", time),
            is_current=need(of, "isCurrent", truth),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Named limits."""

    name: str
    """Its name, such as "team"."""
    limits: PlanLimits
    """The limits."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Plan:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            limits=need(of, "limits", PlanLimits.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLimits:
    """Limits of an organisation. A limit that is null does not apply."""

    max_upload_bytes: int | None = None
    """Maximum size of a document in bytes."""
    max_storage_bytes: int | None = None
    """Maximum number of bytes that all workspaces store together: originals, PDFs converted from Office documents, and
    parts of uploads. Uploads that do not fit are rejected. The PDF of a document that has been accepted is stored in
    any case, and counts.
    """
    max_retention_days: float | None = None
    """Maximum lifetime of a dataset in days; with it, -1 (never expires) is rejected."""
    requests_per_minute: int | None = None
    """Maximum number of requests per minute, of all workspaces together. Each search of `/v1/search/many` counts."""
    concurrent_jobs: int | None = None
    """Maximum number of jobs that run at the same time."""
    max_pages: int | None = None
    """Maximum number of pages of a document."""

    @classmethod
    def from_json(cls, value: JsonValue) -> PlanLimits:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            max_upload_bytes=maybe(of, "maxUploadBytes", whole),
            max_storage_bytes=maybe(of, "maxStorageBytes", whole),
            max_retention_days=maybe(of, "maxRetentionDays", number),
            requests_per_minute=maybe(of, "requestsPerMinute", whole),
            concurrent_jobs=maybe(of, "concurrentJobs", whole),
            max_pages=maybe(of, "maxPages", whole),
        )

    def to_json(self) -> JsonObject:
        """As the service reads it; what is not set is left out."""
        json: JsonObject = {}
        if self.max_upload_bytes is not None:
            json["maxUploadBytes"] = self.max_upload_bytes
        if self.max_storage_bytes is not None:
            json["maxStorageBytes"] = self.max_storage_bytes
        if self.max_retention_days is not None:
            json["maxRetentionDays"] = self.max_retention_days
        if self.requests_per_minute is not None:
            json["requestsPerMinute"] = self.requests_per_minute
        if self.concurrent_jobs is not None:
            json["concurrentJobs"] = self.concurrent_jobs
        if self.max_pages is not None:
            json["maxPages"] = self.max_pages
        return json


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderIdentity:
    """An identity at an OpenID Connect provider with which a member signs in."""

    issuer: str
    """Issuer identifier of the provider."""
    created_at: datetime
    """When the identity was linked."""

    @classmethod
    def from_json(cls, value: JsonValue) -> ProviderIdentity:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            issuer=need(of, "issuer", text),
            created_at=need(of, "createdAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchManyResponse:
    """Results of several searches."""

    total: int
    """Number of searches."""
    data: tuple[SearchOutcome, ...] = ()
    """Results, in the order of the searches."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SearchManyResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", SearchOutcome.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """Result of one of several searches."""

    success: bool
    """Whether the search succeeded."""
    total: int
    """Number of items returned."""
    data: tuple[DatasetItem, ...] = ()
    """The items, each with its score, most relevant first."""
    incomplete: bool | None = None
    """True if pages may be missing, because a part of the index is being rebuilt; absent otherwise."""
    incomplete_dataset_ids: tuple[str, ...] = ()
    """Datasets whose pages may be missing, at most one hundred; absent if there are none."""
    error: str | None = None
    """Error message, if the search failed."""
    code: str | None = None
    """Connect error code in upper case, if the search failed."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SearchOutcome:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            success=need(of, "success", truth),
            total=need(of, "total", whole),
            data=many(of, "data", DatasetItem.from_json),
            incomplete=maybe(of, "incomplete", truth),
            incomplete_dataset_ids=many(of, "incompleteDatasetIds", text),
            error=maybe(of, "error", text),
            code=maybe(of, "code", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A search query: text, a picture, or both."""

    text: str = ""
    """A question, topic or idea, at most 8192 characters. Pages must contain each phrase in quotation marks, word for
    word; if no page does, the words of the phrases are searched instead. A hyphen before a word of three letters or
    more, or before a phrase in quotation marks, excludes the pages that contain it: `jaguar -car -"big cat"`.
    Everything else is treated as words.
    """
    image_url: str = ""
    """A picture: an http(s) URL, or a data URL (data:<mime>;base64,<data>)."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SearchQuery:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            text=need(of, "text", text),
            image_url=need(of, "image_url", text),
        )

    def to_json(self) -> JsonObject:
        """As the service reads it; what is not set is left out."""
        json: JsonObject = {}
        if self.text:
            json["text"] = self.text
        if self.image_url:
            json["image_url"] = self.image_url
        return json


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Request to find pages by meaning."""

    query: SearchQuery | None = None
    """Text or picture to search for, or both. In JSON a bare string stands for the text."""
    dataset_ids: tuple[str, ...] = ()
    """Only pages of these datasets; default: all vectorized datasets of the workspace. Over REST an empty list is
    rejected.
    """
    limit: int | None = None
    """Maximum number of items to return, 1 to 100; default 10."""
    row: ItemRow | None = None
    """Rendition of the found pages to return; default "jpg"."""
    expires_in_seconds: int | None = None
    """Lifetime of the share links in seconds, 1 to 604800; default 600."""
    include: tuple[Include, ...] = ()
    """Contents to include in the items in addition to their links, at most 8 MiB per response, best items first."""
    min_score: float | None = None
    """Only items whose score is at least this, 0 to 1."""
    explain: bool | None = None
    """Whether each item explains its score; default false."""
    neighbours: int | None = None
    """Number of pages before and after each found page to return with it, 0 to 5; default 0."""
    picture_width: int | None = None
    """Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000; default 1024. Without include
    "picture", the width at which the pictures of the first results are rendered in advance, for links that are read
    with the same `width`.
    """
    filter: Mapping[str, Any] | None = None
    """Only datasets whose metadata matches this filter: `{"field": value}`, `{"field": {"$gte": 2020}}`, with the
    operators $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains and $exists, combined by $and, $or and $not. Pages
    of other datasets are not found.
    """
    file_ext: tuple[str, ...] = ()
    """Only pages of datasets with one of these extensions, as in their fileExt; default: every format."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SearchRequest:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            query=need(of, "query", SearchQuery.from_json),
            dataset_ids=many(of, "datasetIds", text),
            limit=maybe(of, "limit", whole),
            row=maybe(of, "row", word),
            expires_in_seconds=maybe(of, "expiresInSeconds", whole),
            include=many(of, "include", word),
            min_score=maybe(of, "minScore", number),
            explain=maybe(of, "explain", truth),
            neighbours=maybe(of, "neighbours", whole),
            picture_width=maybe(of, "pictureWidth", whole),
            filter=need(of, "filter", any_object),
            file_ext=many(of, "fileExt", text),
        )

    def to_json(self) -> JsonObject:
        """As the service reads it; what is not set is left out."""
        json: JsonObject = {}
        if self.query is not None:
            json["query"] = self.query.to_json()
        if self.dataset_ids:
            json["datasetIds"] = list(self.dataset_ids)
        if self.limit is not None:
            json["limit"] = self.limit
        if self.row is not None:
            json["row"] = self.row
        if self.expires_in_seconds is not None:
            json["expiresInSeconds"] = self.expires_in_seconds
        if self.include:
            json["include"] = list(self.include)
        if self.min_score is not None:
            json["minScore"] = self.min_score
        if self.explain is not None:
            json["explain"] = self.explain
        if self.neighbours is not None:
            json["neighbours"] = self.neighbours
        if self.picture_width is not None:
            json["pictureWidth"] = self.picture_width
        if self.filter is not None:
            json["filter"] = self.filter
        if self.file_ext:
            json["fileExt"] = list(self.file_ext)
        return json


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """The pages that were found."""

    total: int
    """Number of items returned."""
    data: tuple[DatasetItem, ...] = ()
    """The items, each with its score, most relevant first."""
    incomplete: bool | None = None
    """True if pages may be missing, because a part of the index is being rebuilt; absent otherwise."""
    incomplete_dataset_ids: tuple[str, ...] = ()
    """Datasets whose pages may be missing, at most one hundred; absent if there are none."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SearchResponse:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", whole),
            data=many(of, "data", DatasetItem.from_json),
            incomplete=maybe(of, "incomplete", truth),
            incomplete_dataset_ids=many(of, "incompleteDatasetIds", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A signed-in browser. Times are milliseconds since the epoch, UTC."""

    id: str
    """Session id, ses_…."""
    agent: str
    """User agent of the browser; empty if it sent none."""
    created_at: datetime
    """When the session began."""
    last_used_at: datetime | None = None
    """When the session was last used, accurate to one minute; null: never."""
    expires_at: datetime
    """When the session expires; it ends earlier if it has not been used for a week."""
    is_current: bool
    """Whether the request was made with this session."""
    page_secret: str | None = None
    """In the response of `SignIn` only: the value that pages send as `x-drs-console` from then on; the cookie is not
    accepted without it.
    """
    holder_name: str | None = None
    """In the response of `SignIn` only: the name of the member or the API key; a key may have no name."""
    organisation_name: str | None = None
    """In the response of `SignIn` only: the organisation of the member or the API key."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Session:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            agent=need(of, "agent", text),
            created_at=need(of, "createdAt", time),
            last_used_at=maybe(of, "lastUsedAt", time),
            expires_at=need(of, "expiresAt", time),
            is_current=need(of, "isCurrent", truth),
            page_secret=maybe(of, "pageSecret", text),
            holder_name=maybe(of, "holderName", text),
            organisation_name=maybe(of, "organisationName", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A self-expiring link to the bytes of a dataset or an item."""

    url: str
    """The complete link; it needs no API key."""
    token: str
    """The token that the link carries."""
    expires_at: datetime | None = None
    """When the link expires."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Share:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            url=need(of, "url", text),
            token=need(of, "token", text),
            expires_at=maybe(of, "expiresAt", time),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInCode:
    """A code that signs one browser in."""

    code: str
    """Credential for `SignIn`; it is returned only here."""
    expires_at: datetime
    """When it expires."""
    uri: str
    """Address at which a browser signs in with the code. The code is in the fragment, which browsers do not send."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SignInCode:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            code=need(of, "code", text),
            expires_at=need(of, "expiresAt", time),
            uri=need(of, "uri", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInWays:
    """The sign-in methods other than personal tokens, API keys and codes."""

    oidc: OidcWay | None = None
    """The OpenID Connect provider; null: none is configured."""
    sign_up: bool
    """Whether a person without an invitation creates an organisation by signing in."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SignInWays:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            oidc=maybe(of, "oidc", OidcWay.from_json),
            sign_up=need(of, "signUp", truth),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A passage of a page's text layer, about 240 characters at most."""

    text: str
    """The text on one line. "…" marks where the page has more text."""
    marks: tuple[SnippetMark, ...] = ()
    """Positions of words of the query in the text, in order; empty if the page has none of them and the snippet is its
    beginning.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> Snippet:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            text=need(of, "text", text),
            marks=many(of, "marks", SnippetMark.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetMark:
    """Adjacent words of the query in a snippet."""

    start: int
    """Start position, from 0, in UTF-16 code units."""
    length: int
    """Length in UTF-16 code units."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SnippetMark:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            start=need(of, "start", whole),
            length=need(of, "length", whole),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceEvidence:
    """Contribution of a space of the model pack to a score."""

    name: str
    """Name of the space, such as words or text."""
    score: float | None = None
    """Score of the page in this space: BM25 for words, cosine similarity for vectors. Absent if the space did not find
    the page.
    """
    log_odds: float
    """Contribution to the log-odds."""

    @classmethod
    def from_json(cls, value: JsonValue) -> SpaceEvidence:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            name=need(of, "name", text),
            score=maybe(of, "score", number),
            log_odds=need(of, "logOdds", number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedUpload:
    """A new session."""

    key: str
    """The key that all later calls need, tmp_…; empty if `job` is set, because no key is needed then."""
    expires_at: datetime
    """When the session expires; 0 if there is no session."""
    job: Job | None = None
    """With ifExists "return", the job of the dataset that has the same bytes: no session was opened and nothing needs
    to be sent.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> StartedUpload:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            key=need(of, "key", text),
            expires_at=need(of, "expiresAt", time),
            job=maybe(of, "job", Job.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBytes:
    """Stored bytes by kind. Features of pages, the search index, cached pictures and pages are not counted."""

    total: float
    """All stored bytes."""
    originals: float
    """Bytes of the uploaded documents."""
    converted: float
    """Bytes of PDFs converted from Office documents."""
    parts: float
    """Bytes of parts of unfinished uploads."""

    @classmethod
    def from_json(cls, value: JsonValue) -> StoredBytes:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            total=need(of, "total", number),
            originals=need(of, "originals", number),
            converted=need(of, "converted", number),
            parts=need(of, "parts", number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An upload in parts."""

    key: str
    """Key of the session, tmp_…."""
    file_name: str
    """Name of the file."""
    job_type: str
    """Type of the job: "extract" or "vectorize"."""
    created_at: datetime
    """When the session was started."""
    expires_at: datetime
    """When the session expires."""
    file_size: int | None = None
    """Size of the file in bytes as announced at the start."""
    received_bytes: int
    """Bytes received."""
    part_count: int
    """Number of parts received."""
    parts: tuple[UploadPart, ...] = ()
    """The parts received, by number; left out of lists."""
    job_id: str | None = None
    """Job that the end of the session started, dsj_…; null while the session is open."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Upload:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            key=need(of, "key", text),
            file_name=need(of, "fileName", text),
            job_type=need(of, "jobType", text),
            created_at=need(of, "createdAt", time),
            expires_at=need(of, "expiresAt", time),
            file_size=maybe(of, "fileSize", whole),
            received_bytes=need(of, "receivedBytes", whole),
            part_count=need(of, "partCount", whole),
            parts=many(of, "parts", UploadPart.from_json),
            job_id=maybe(of, "jobId", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPart:
    """A part that has been received."""

    etag: str
    """SHA-256 of the part's bytes, hexadecimal."""
    part_number: int
    """Number of the part, from 1."""
    size: int
    """Size of the part in bytes; the end of the session does not need it."""

    @classmethod
    def from_json(cls, value: JsonValue) -> UploadPart:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            etag=need(of, "etag", text),
            part_number=need(of, "partNumber", whole),
            size=need(of, "size", whole),
        )

    def to_json(self) -> JsonObject:
        """As the service reads it; what is not set is left out."""
        json: JsonObject = {}
        if self.etag:
            json["etag"] = self.etag
        if self.part_number:
            json["partNumber"] = self.part_number
        if self.size:
            json["size"] = self.size
        return json


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Usage of a workspace, and the limits of its organisation."""

    workspace_id: str
    """Workspace id, ws_…."""
    organisation_id: str
    """The organisation that owns the workspace, org_…."""
    stored: StoredBytes
    """Bytes that the workspace stores. Deleting datasets and ending or aborting upload sessions frees them."""
    organisation_stored_bytes: int
    """Bytes that all workspaces of the organisation store together; maxStorageBytes of the plan limits them."""
    documents: int
    """Number of datasets of the workspace."""
    pages: int
    """Number of pages of the datasets that have been opened."""
    requests_this_month: int
    """Number of requests since the start of the month (UTC) that were made with a key or personal token and allowed by
    the rate limit. The count is about ten seconds old, and a crash of the server loses requests that were not
    counted yet.
    """
    plan: str
    """Name of the plan of the organisation."""
    limits: PlanLimits
    """Limits of the organisation: for each limit, the lower one of the plan and the server. A limit that is null does
    not apply.
    """
    requests_by_month: tuple[MonthlyRequests, ...] = ()
    """Requests of the last twelve months, counted like requestsThisMonth; oldest month first, current month last."""
    history: tuple[DailyUsage, ...] = ()
    """Usage of each of the last historyDays days; oldest day first, today last. Days without a record are left out:
    days before the service began to record usage, and days on which it did not run.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> Usage:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            workspace_id=need(of, "workspaceId", text),
            organisation_id=need(of, "organisationId", text),
            stored=need(of, "stored", StoredBytes.from_json),
            organisation_stored_bytes=need(of, "organisationStoredBytes", whole),
            documents=need(of, "documents", whole),
            pages=need(of, "pages", whole),
            requests_this_month=need(of, "requestsThisMonth", whole),
            plan=need(of, "plan", text),
            limits=need(of, "limits", PlanLimits.from_json),
            requests_by_month=many(of, "requestsByMonth", MonthlyRequests.from_json),
            history=many(of, "history", DailyUsage.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPages:
    """Pages of a dataset."""

    dataset_id: str = ""
    """Dataset id, ds_…."""
    cols: tuple[str, ...] = ()
    """Page numbers ("16") and ranges that include both ends ("5:10", "5:", ":10"). Default: all pages."""

    @classmethod
    def from_json(cls, value: JsonValue) -> WantedPages:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            dataset_id=need(of, "datasetId", text),
            cols=many(of, "cols", text),
        )

    def to_json(self) -> JsonObject:
        """As the service reads it; what is not set is left out."""
        json: JsonObject = {}
        if self.dataset_id:
            json["datasetId"] = self.dataset_id
        if self.cols:
            json["cols"] = list(self.cols)
        return json


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that receives the events of a workspace."""

    id: str
    """Webhook id, wh_…."""
    workspace_id: str
    """The workspace that owns it."""
    url: str
    """The address."""
    events: tuple[WebhookEvent, ...] = ()
    """Events that it receives."""
    description: str
    """Purpose of the webhook."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime | None = None
    """When it was last changed; null: never."""
    disabled_at: datetime | None = None
    """When it was disabled; null: it is enabled."""
    disabled_reason: str | None = None
    """Why it was disabled; null: it is enabled."""
    failing_since: float | None = None
    """When the first failure after the last success occurred, milliseconds since the epoch, UTC; null: none has."""
    secret: str | None = None
    """The secret that signs its messages; only in the response to its creation."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Webhook:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            workspace_id=need(of, "workspaceId", text),
            url=need(of, "url", text),
            events=many(of, "events", word),
            description=need(of, "description", text),
            created_at=need(of, "createdAt", time),
            updated_at=maybe(of, "updatedAt", time),
            disabled_at=maybe(of, "disabledAt", time),
            disabled_reason=maybe(of, "disabledReason", text),
            failing_since=maybe(of, "failingSince", number),
            secret=maybe(of, "secret", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSecret:
    """A secret that signs messages."""

    secret: str
    """The secret, in the format that Standard Webhooks libraries take."""
    previous_until: float | None = None
    """When the previous secret stops signing messages, milliseconds since the epoch, UTC; null: only this secret signs.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> WebhookSecret:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            secret=need(of, "secret", text),
            previous_until=maybe(of, "previousUntil", number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WordEvidence:
    """A word of the query on a page."""

    word: str
    """The word as written in the query."""
    count: int
    """Number of occurrences on the page, in any form by which the word is found: its stem, its beginning, its end, or
    the forms in `found_as`.
    """
    log_odds: float
    """Share of the word in the contribution of the word space to the log-odds."""
    found_as: tuple[str, ...] = ()
    """Forms that the page contains instead, if no page contains the word: similar spellings, or the words that form it
    as a compound. They have no accents.
    """

    @classmethod
    def from_json(cls, value: JsonValue) -> WordEvidence:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            word=need(of, "word", text),
            count=need(of, "count", whole),
            log_odds=need(of, "logOdds", number),
            found_as=many(of, "foundAs", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A workspace: its datasets, jobs and keys are isolated from those of others."""

    id: str
    """Workspace id, ws_…."""
    organisation_id: str
    """The organisation that owns it, org_…."""
    name: str
    """Its name, unique in the organisation."""
    created_at: datetime
    """When it was created."""

    @classmethod
    def from_json(cls, value: JsonValue) -> Workspace:
        """Reads it out of the JSON of the service. Raises `DrsError` if it is none."""
        of = members(value, cls.__name__)
        return cls(
            id=need(of, "id", text),
            organisation_id=need(of, "organisationId", text),
            name=need(of, "name", text),
            created_at=need(of, "createdAt", time),
        )
