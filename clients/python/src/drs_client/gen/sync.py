"""The methods of the service, one class for each group. Generated from the definitions in proto/; not to be edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drs_client._sync.caller import Caller
from drs_client._sync.paging import entries
from drs_client.gen import methods, types
from drs_client.json_values import words


class Datasets:
    """Accepts uploads of documents and manages datasets."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def vectorize(
        self,
        id: str,
        *,
        callback_url: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Job:
        """Makes every page of a stored dataset searchable. The request is rejected with 409 while a vectorize job of
        the dataset is unfinished, and after one has succeeded.

        Args:
            id: Dataset id, ds_….
            callback_url: Address that receives a POST when the job ends, with any result: http or https, on a public
                address. The message is signed (Standard Webhooks) with the callback secret of the workspace, GET
                /v1/webhooks/callbacks/secret.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.VECTORIZE_DATASET,
            {
                "id": id,
                "callbackUrl": callback_url,
            },
            idempotency_key=idempotency_key,
        )
        return types.Job.from_json(answer)

    def list(
        self,
        *,
        type: types.DatasetType | Sequence[types.DatasetType] | None = None,
        sort: str | Sequence[str] | None = None,
        expires_in_seconds: int | None = None,
        sha256: str | Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        file_ext: str | Sequence[str] | None = None,
        searchable: bool | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.Dataset]:
        """Lists the datasets of the workspace. Entries are fetched as they are wanted, page by page.

        Args:
            type: Only datasets of these types; default: all.
            sort: Properties to sort by: createdAt, updatedAt, expiresAt, fileName, fileSize, itemCount. A leading
                "-" sorts in descending order. Default "-createdAt".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            sha256: Only datasets whose uploaded file has one of these SHA-256 digests, hexadecimal; default: all.
            filter: Only datasets whose metadata matches this filter: `{"field": value}`, `{"field": {"$gte":
                2020}}`, with the operators $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains and $exists,
                combined by $and, $or and $not. In the query string it is JSON text.
            file_ext: Only datasets with one of these extensions, as in their fileExt; default: all.
            searchable: Only datasets that are searchable, or only those that are not; default: all.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page(
                type=type,
                sort=sort,
                expires_in_seconds=expires_in_seconds,
                sha256=sha256,
                filter=filter,
                file_ext=file_ext,
                searchable=searchable,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page(
        self,
        *,
        type: types.DatasetType | Sequence[types.DatasetType] | None = None,
        offset: int | None = None,
        limit: int | None = None,
        sort: str | Sequence[str] | None = None,
        expires_in_seconds: int | None = None,
        sha256: str | Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        file_ext: str | Sequence[str] | None = None,
        searchable: bool | None = None,
    ) -> types.ListDatasetsResponse:
        """Lists the datasets of the workspace.

        Args:
            type: Only datasets of these types; default: all.
            offset: Number of matching datasets to skip; default 0.
            limit: Maximum number of datasets to return, 1 to 100; default 10.
            sort: Properties to sort by: createdAt, updatedAt, expiresAt, fileName, fileSize, itemCount. A leading
                "-" sorts in descending order. Default "-createdAt".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            sha256: Only datasets whose uploaded file has one of these SHA-256 digests, hexadecimal; default: all.
            filter: Only datasets whose metadata matches this filter: `{"field": value}`, `{"field": {"$gte":
                2020}}`, with the operators $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains and $exists,
                combined by $and, $or and $not. In the query string it is JSON text.
            file_ext: Only datasets with one of these extensions, as in their fileExt; default: all.
            searchable: Only datasets that are searchable, or only those that are not; default: all.
        """
        answer = self._caller.call(
            methods.LIST_DATASETS,
            {
                "type": words(type),
                "offset": offset,
                "limit": limit,
                "sort": words(sort),
                "expiresInSeconds": expires_in_seconds,
                "sha256": words(sha256),
                "filter": filter,
                "fileExt": words(file_ext),
                "searchable": searchable,
            },
        )
        return types.ListDatasetsResponse.from_json(answer)

    def get(self, id: str, *, expires_in_seconds: int | None = None) -> types.Dataset:
        """Returns one dataset.

        Args:
            id: Dataset id, ds_….
            expires_in_seconds: Lifetime of the share link in seconds, 1 to 604800; default 600.
        """
        answer = self._caller.call(
            methods.GET_DATASET,
            {
                "id": id,
                "expiresInSeconds": expires_in_seconds,
            },
        )
        return types.Dataset.from_json(answer)

    def update(
        self,
        id: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        file_name: str | None = None,
        expires_in_days: float | None = None,
        expires_in_seconds: int | None = None,
    ) -> types.Dataset:
        """Changes the name, the metadata or the expiry of a dataset. Fields that are left out keep their values.

        Args:
            id: Dataset id, ds_….
            metadata: Changes to the metadata as a JSON merge patch: fields that are given here are replaced, fields
                that are null are removed, all others stay.
            file_name: New name of the file.
            expires_in_days: Days from now until the dataset expires, up to 36500; -1: never.
            expires_in_seconds: Lifetime of the share link in seconds, 1 to 604800; default 600.
        """
        answer = self._caller.call(
            methods.UPDATE_DATASET,
            {
                "id": id,
                "metadata": metadata,
                "fileName": file_name,
                "expiresInDays": expires_in_days,
                "expiresInSeconds": expires_in_seconds,
            },
        )
        return types.Dataset.from_json(answer)

    def delete(self, id: str) -> types.DeletedDataset:
        """Deletes a dataset. Its items, embeddings and cached renditions are deleted with it, and its jobs are
        cancelled.

        Args:
            id: Dataset id, ds_….
        """
        answer = self._caller.call(
            methods.DELETE_DATASET,
            {
                "id": id,
            },
        )
        return types.DeletedDataset.from_json(answer)

    def delete_many(
        self,
        *,
        ids: str | Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
    ) -> types.DatasetsDeletion:
        """Deletes several datasets as DeleteDataset does: the datasets with the given ids, the datasets whose metadata
        matches a filter, or, with both, the given datasets that match. Unless `dryRun` is false, nothing is deleted
        and the response lists what would be deleted. A request deletes up to 1,000 datasets; the same request
        deletes the next ones.

        Args:
            ids: Dataset ids, ds_…; ids that do not exist are ignored. Over REST an empty list is rejected.
            filter: Datasets whose metadata matches this filter, as in the list of datasets; the empty filter matches
                all.
            dry_run: Whether to delete nothing and list what would be deleted; default true.
        """
        answer = self._caller.call(
            methods.DELETE_DATASETS,
            {
                "ids": words(ids),
                "filter": filter,
                "dryRun": dry_run,
            },
        )
        return types.DatasetsDeletion.from_json(answer)


class Devices:
    """Gives a device a personal token once a person has approved it in a browser (RFC 8628). The device shows a code
    and an address; the person opens the address, signs in, compares the code and approves.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(self, name: str) -> types.DeviceAuthorization:
        """Starts the sign-in of a device. Needs no key.

        Args:
            name: Name of the device; it is shown to the person and kept with the personal token.
        """
        answer = self._caller.call(
            methods.START_DEVICE,
            {
                "name": name,
            },
        )
        return types.DeviceAuthorization.from_json(answer)

    def poll(self, device_code: str) -> types.DeviceOutcome:
        """Checks whether the person has approved the device, at most every five seconds. The token is returned only
        once. The request is rejected with 403 if the person has denied the device, or if the code has expired or
        been used.

        Args:
            device_code: The device code of `StartDevice`.
        """
        answer = self._caller.call(
            methods.POLL_DEVICE,
            {
                "deviceCode": device_code,
            },
        )
        return types.DeviceOutcome.from_json(answer)

    def get(self, user_code: str) -> types.Device:
        """Returns the device that shows a code, so that the person can compare it.

        Args:
            user_code: The code; case, spaces and dashes do not matter.
        """
        answer = self._caller.call(
            methods.GET_DEVICE,
            {
                "userCode": user_code,
            },
        )
        return types.Device.from_json(answer)

    def approve(self, user_code: str) -> None:
        """Approves a device, which is then signed in as the caller, who is a member. A request with an API key is
        rejected with 400, a request with a session that began more than five minutes ago with 401: sign in again
        first.

        Args:
            user_code: The code that the device shows.
        """
        self._caller.call(
            methods.APPROVE_DEVICE,
            {
                "userCode": user_code,
            },
        )

    def deny(self, user_code: str) -> None:
        """Denies a device. A request with an API key is rejected with 400.

        Args:
            user_code: The code that the device shows.
        """
        self._caller.call(
            methods.DENY_DEVICE,
            {
                "userCode": user_code,
            },
        )


class Items:
    """Lists the pages of a dataset by number and format."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        dataset_id: str,
        *,
        row: types.ItemRow | None = None,
        cols: str | Sequence[str] | None = None,
        sort: str | Sequence[str] | None = None,
        expires_in_seconds: int | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        picture_width: int | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.DatasetItem]:
        """Lists the items of a dataset. Items appear page by page while the job runs. Entries are fetched as they are
        wanted, page by page.

        Args:
            dataset_id: Dataset id, ds_….
            row: Only items of this format; default: all formats.
            cols: Only these pages: numbers ("16") and ranges that include both ends ("5:10", "5:", ":10"). Default:
                all pages.
            sort: Properties to sort by: createdAt, col, row. A leading "-" sorts in descending order. Default
                "-createdAt".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            include: Contents to include in the items in addition to their links, at most 8 MiB per response, in the
                order of the items.
            picture_width: Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000;
                default 1024.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page(
                dataset_id,
                row=row,
                cols=cols,
                sort=sort,
                expires_in_seconds=expires_in_seconds,
                include=include,
                picture_width=picture_width,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page(
        self,
        dataset_id: str,
        *,
        row: types.ItemRow | None = None,
        cols: str | Sequence[str] | None = None,
        offset: int | None = None,
        limit: int | None = None,
        sort: str | Sequence[str] | None = None,
        expires_in_seconds: int | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        picture_width: int | None = None,
    ) -> types.ListItemsResponse:
        """Lists the items of a dataset. Items appear page by page while the job runs.

        Args:
            dataset_id: Dataset id, ds_….
            row: Only items of this format; default: all formats.
            cols: Only these pages: numbers ("16") and ranges that include both ends ("5:10", "5:", ":10"). Default:
                all pages.
            offset: Number of matching items to skip; default 0.
            limit: Maximum number of items to return, 1 to 100; default 10.
            sort: Properties to sort by: createdAt, col, row. A leading "-" sorts in descending order. Default
                "-createdAt".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            include: Contents to include in the items in addition to their links, at most 8 MiB per response, in the
                order of the items.
            picture_width: Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000;
                default 1024.
        """
        answer = self._caller.call(
            methods.LIST_ITEMS,
            {
                "datasetId": dataset_id,
                "row": row,
                "cols": words(cols),
                "offset": offset,
                "limit": limit,
                "sort": words(sort),
                "expiresInSeconds": expires_in_seconds,
                "include": words(include),
                "pictureWidth": picture_width,
            },
        )
        return types.ListItemsResponse.from_json(answer)

    def get(
        self,
        wanted: Sequence[types.WantedPages],
        *,
        row: types.ItemRow | None = None,
        expires_in_seconds: int | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        picture_width: int | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.DatasetItem]:
        """Returns items of several datasets at once, in the order of the datasets in the request and by page within
        each dataset. Entries are fetched as they are wanted, page by page.

        Args:
            wanted: The datasets, 1 to 100, with the requested pages of each.
            row: Only items of this format; default: "jpg".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            include: Contents to include in the items in addition to their links, at most 8 MiB per response, in the
                order of the items.
            picture_width: Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000;
                default 1024.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.get_page(
                wanted,
                row=row,
                expires_in_seconds=expires_in_seconds,
                include=include,
                picture_width=picture_width,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def get_page(
        self,
        wanted: Sequence[types.WantedPages],
        *,
        row: types.ItemRow | None = None,
        offset: int | None = None,
        limit: int | None = None,
        expires_in_seconds: int | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        picture_width: int | None = None,
    ) -> types.GetItemsResponse:
        """Returns items of several datasets at once, in the order of the datasets in the request and by page within
        each dataset.

        Args:
            wanted: The datasets, 1 to 100, with the requested pages of each.
            row: Only items of this format; default: "jpg".
            offset: Number of matching items to skip; default 0.
            limit: Maximum number of items to return, 1 to 100; default 100.
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            include: Contents to include in the items in addition to their links, at most 8 MiB per response, in the
                order of the items.
            picture_width: Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000;
                default 1024.
        """
        answer = self._caller.call(
            methods.GET_ITEMS,
            {
                "wanted": [one.to_json() for one in wanted],
                "row": row,
                "offset": offset,
                "limit": limit,
                "expiresInSeconds": expires_in_seconds,
                "include": words(include),
                "pictureWidth": picture_width,
            },
        )
        return types.GetItemsResponse.from_json(answer)


class Jobs:
    """Shows and controls the asynchronous work on datasets."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        statuses: types.JobStatus | Sequence[types.JobStatus] | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.Job]:
        """Lists recent jobs of the workspace, newest first. A finished job leaves the list after 24 hours, and can
        still be read by its id. Entries are fetched as they are wanted, page by page.

        Args:
            statuses: Only jobs with one of these statuses; default: all.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page(
                statuses=statuses,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page(
        self,
        *,
        statuses: types.JobStatus | Sequence[types.JobStatus] | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> types.ListJobsResponse:
        """Lists recent jobs of the workspace, newest first. A finished job leaves the list after 24 hours, and can
        still be read by its id.

        Args:
            statuses: Only jobs with one of these statuses; default: all.
            offset: Number of matching jobs to skip; default 0.
            limit: Maximum number of jobs to return, 1 to 100; default 10.
        """
        answer = self._caller.call(
            methods.LIST_JOBS,
            {
                "statuses": words(statuses),
                "offset": offset,
                "limit": limit,
            },
        )
        return types.ListJobsResponse.from_json(answer)

    def get(self, id: str) -> types.Job:
        """Returns one job. Jobs that have left the list can still be read.

        Args:
            id: Job id, dsj_….
        """
        answer = self._caller.call(
            methods.GET_JOB,
            {
                "id": id,
            },
        )
        return types.Job.from_json(answer)

    def cancel(self, id: str) -> types.Job:
        """Cancels an unfinished job. Its work stops within two seconds and its results are removed, with the dataset if
        the job was creating it. The job ends in ERROR, with canceledAt set.

        Args:
            id: Job id, dsj_….
        """
        answer = self._caller.call(
            methods.CANCEL_JOB,
            {
                "id": id,
            },
        )
        return types.Job.from_json(answer)

    def retry(self, id: str) -> types.Job:
        """Runs a finished job again. The job keeps its id and dataset. After ERROR it continues with the pages that it
        has not finished; after SUCCESS with failed pages it retries only those pages.

        Args:
            id: Job id, dsj_….
        """
        answer = self._caller.call(
            methods.RETRY_JOB,
            {
                "id": id,
            },
        )
        return types.Job.from_json(answer)


class Links:
    """Manages the keys that sign share links. Needs the admin scope."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def rotate(self, *, revoke: bool | None = None) -> types.LinkRotation:
        """Replaces the key that signs share links. Existing links stay valid until they expire; with `revoke` all of
        them end at once, in every organisation. Only operators of the service may do this.

        Args:
            revoke: Whether all existing links end at once. Default: they stay valid until they expire, seven days at
                most.
        """
        answer = self._caller.call(
            methods.ROTATE_LINKS,
            {
                "revoke": revoke,
            },
        )
        return types.LinkRotation.from_json(answer)


class Members:
    """Manages the members of an organisation. A member joins with an invitation and then authenticates with a personal
    token instead of an API key. Viewers may read and search, members may also write, admins and owners may manage.
    Calls use the oldest workspace of the organisation, or the one that the header x-workspace names.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> types.ListMembersResponse:
        """Lists the members of the organisation, oldest first."""
        answer = self._caller.call(methods.LIST_MEMBERS, {})
        return types.ListMembersResponse.from_json(answer)

    def invite(
        self,
        name: str,
        role: types.MemberRole,
        *,
        expires_in_hours: int | None = None,
        email: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Invitation:
        """Creates an invitation. Its token is returned only here; it lets one person join until it expires.

        Args:
            name: Name or email address of the invited person; it is only shown in lists.
            role: Role of the new member. Only owners may invite owners.
            expires_in_hours: Hours until it expires, up to 720; default 72.
            email: E-mail address of the invited person, who can then also join by signing in with the provider,
                without the token.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.INVITE_MEMBER,
            {
                "name": name,
                "role": role,
                "expiresInHours": expires_in_hours,
                "email": email,
            },
            idempotency_key=idempotency_key,
        )
        return types.Invitation.from_json(answer)

    def list_invitations(self) -> types.ListInvitationsResponse:
        """Lists open invitations, oldest first. Their tokens are left out."""
        answer = self._caller.call(methods.LIST_INVITATIONS, {})
        return types.ListInvitationsResponse.from_json(answer)

    def revoke_invitation(self, id: str) -> None:
        """Revokes an invitation.

        Args:
            id: Invitation id, inv_….
        """
        self._caller.call(
            methods.REVOKE_INVITATION,
            {
                "id": id,
            },
        )

    def show_invitation(self, token: str) -> types.InvitationOffer:
        """Shows the details of an invitation. The invitation stays open. The token is sent in the body, so that no log
        contains it.

        Args:
            token: The invitation's token.
        """
        answer = self._caller.call(
            methods.SHOW_INVITATION,
            {
                "token": token,
            },
        )
        return types.InvitationOffer.from_json(answer)

    def accept_invitation(self, token: str, *, name: str | None = None) -> types.PersonalSession:
        """Joins an organisation with the token of an invitation. A token works once. The personal token is returned
        only here.

        Args:
            token: The invitation's token.
            name: Name of the member; default: the name in the invitation.
        """
        answer = self._caller.call(
            methods.ACCEPT_INVITATION,
            {
                "token": token,
                "name": name,
            },
        )
        return types.PersonalSession.from_json(answer)

    def update(self, id: str, role: types.MemberRole) -> types.Member:
        """Changes the role of a member. The last owner cannot be changed.

        Args:
            id: Member id, mem_….
            role: The new role. Only owners may make or change owners.
        """
        answer = self._caller.call(
            methods.UPDATE_MEMBER,
            {
                "id": id,
                "role": role,
            },
        )
        return types.Member.from_json(answer)

    def remove(self, id: str) -> None:
        """Removes a member. The member's personal tokens are rejected from then on. The last owner cannot be removed.

        Args:
            id: Member id, mem_….
        """
        self._caller.call(
            methods.REMOVE_MEMBER,
            {
                "id": id,
            },
        )

    def who_am_i(self) -> types.Identity:
        """Returns the identity of the caller: organisation, workspace and scopes."""
        answer = self._caller.call(methods.WHO_AM_I, {})
        return types.Identity.from_json(answer)

    def list_tokens(self) -> types.ListTokensResponse:
        """Lists the personal tokens of the caller, oldest first. An API key has none."""
        answer = self._caller.call(methods.LIST_TOKENS, {})
        return types.ListTokensResponse.from_json(answer)

    def end_token(self, id: str) -> None:
        """Revokes one of the personal tokens of the caller, such as the token of a lost device.

        Args:
            id: Token id.
        """
        self._caller.call(
            methods.END_TOKEN,
            {
                "id": id,
            },
        )

    def sign_out(self) -> None:
        """Revokes the personal token that the request carries. A request with an API key is rejected with 400."""
        self._caller.call(methods.SIGN_OUT, {})


class Models:
    """Lists the model packs of the service and selects the one that pages are embedded with. Needs the admin scope."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> types.Models:
        """Lists the installed model packs and the progress of a change of pack. The pack in use is first. Operators of
        the service see the progress of all datasets, others that of their organisation.
        """
        answer = self._caller.call(methods.LIST_MODELS, {})
        return types.Models.from_json(answer)

    def use(self, id: str) -> types.Models:
        """Selects the model pack in use. The pack is loaded and tested first, and rejected if it does not work.
        Datasets are then vectorized with it; datasets that were vectorized with another pack are embedded again in
        the background, and stay searchable meanwhile. Only operators of the service may do this.

        Args:
            id: "builtin", or name and version of an installed pack; a name alone selects its highest version.
        """
        answer = self._caller.call(
            methods.USE_MODEL,
            {
                "id": id,
            },
        )
        return types.Models.from_json(answer)


class Organisations:
    """Manages organisations, their plans and their audit logs. Needs the admin scope. Only operators of the service,
    the admins of the organisation that was created at the first start, create organisations and plans.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        name: str,
        *,
        plan: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.CreatedOrganisation:
        """Creates an organisation with a workspace and an admin key. Only operators of the service may do this.

        Args:
            name: Name of the organisation.
            plan: Name of its plan; default "unlimited".
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.CREATE_ORGANISATION,
            {
                "name": name,
                "plan": plan,
            },
            idempotency_key=idempotency_key,
        )
        return types.CreatedOrganisation.from_json(answer)

    def list(self) -> types.ListOrganisationsResponse:
        """Lists organisations, oldest first. Operators of the service see all, others their own."""
        answer = self._caller.call(methods.LIST_ORGANISATIONS, {})
        return types.ListOrganisationsResponse.from_json(answer)

    def update(self, id: str, *, name: str | None = None, plan: str | None = None) -> types.Organisation:
        """Changes the name or the plan of an organisation. Only operators of the service may change the plan.

        Args:
            id: Organisation id, org_….
            name: New name; default: unchanged.
            plan: Name of the new plan; default: unchanged.
        """
        answer = self._caller.call(
            methods.UPDATE_ORGANISATION,
            {
                "id": id,
                "name": name,
                "plan": plan,
            },
        )
        return types.Organisation.from_json(answer)

    def list_plans(self) -> types.ListPlansResponse:
        """Lists plans, by name. Operators of the service see all, others the plan of their organisation."""
        answer = self._caller.call(methods.LIST_PLANS, {})
        return types.ListPlansResponse.from_json(answer)

    def set_plan(self, name: str, *, limits: types.PlanLimits | None = None) -> types.Plan:
        """Creates or changes a plan. A change applies to all organisations on the plan. The plan "unlimited" cannot be
        changed. Only operators of the service may do this.

        Args:
            name: Name of the plan: letters, digits, dot, dash and underscore.
            limits: Its limits; limits that are left out do not apply.
        """
        answer = self._caller.call(
            methods.SET_PLAN,
            {
                "name": name,
                "limits": None if limits is None else limits.to_json(),
            },
        )
        return types.Plan.from_json(answer)

    def delete_plan(self, name: str) -> None:
        """Deletes a plan that no organisation uses. Only operators of the service may do this.

        Args:
            name: Name of the plan.
        """
        self._caller.call(
            methods.DELETE_PLAN,
            {
                "name": name,
            },
        )

    def list_audit_events(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        since: float | None = None,
        until: float | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.AuditEvent]:
        """Lists administrative actions and deletions in the organisation, newest first. Events are never deleted. Only
        owners and keys with the admin scope may read them. Entries are fetched as they are wanted, page by page.

        Args:
            action: Only events whose action starts with this text, such as "key." or "dataset.delete".
            actor: Only events of this actor, in the form used in events: "key <id>", "member <id>" or "service".
            since: Only events at this time or later, milliseconds since the epoch, UTC.
            until: Only events before this time, milliseconds since the epoch, UTC.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page_audit_events(
                action=action,
                actor=actor,
                since=since,
                until=until,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page_audit_events(
        self,
        *,
        offset: int | None = None,
        limit: int | None = None,
        action: str | None = None,
        actor: str | None = None,
        since: float | None = None,
        until: float | None = None,
    ) -> types.ListAuditEventsResponse:
        """Lists administrative actions and deletions in the organisation, newest first. Events are never deleted. Only
        owners and keys with the admin scope may read them.

        Args:
            offset: Number of events to skip; default 0.
            limit: Maximum number of events to return, 1 to 100; default 10.
            action: Only events whose action starts with this text, such as "key." or "dataset.delete".
            actor: Only events of this actor, in the form used in events: "key <id>", "member <id>" or "service".
            since: Only events at this time or later, milliseconds since the epoch, UTC.
            until: Only events before this time, milliseconds since the epoch, UTC.
        """
        answer = self._caller.call(
            methods.LIST_AUDIT_EVENTS,
            {
                "offset": offset,
                "limit": limit,
                "action": action,
                "actor": actor,
                "since": since,
                "until": until,
            },
        )
        return types.ListAuditEventsResponse.from_json(answer)


class Search:
    """Finds pages by meaning."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def search(
        self,
        query: str | types.SearchQuery,
        *,
        dataset_ids: str | Sequence[str] | None = None,
        limit: int | None = None,
        row: types.ItemRow | None = None,
        expires_in_seconds: int | None = None,
        include: types.Include | Sequence[types.Include] | None = None,
        min_score: float | None = None,
        explain: bool | None = None,
        neighbours: int | None = None,
        picture_width: int | None = None,
        filter: Mapping[str, Any] | None = None,
        file_ext: str | Sequence[str] | None = None,
    ) -> types.SearchResponse:
        """Finds the pages that best match a query, most relevant first. Only pages of vectorized datasets are found.

        Args:
            query: Text or picture to search for, or both. In JSON a bare string stands for the text.
            dataset_ids: Only pages of these datasets; default: all vectorized datasets of the workspace. Over REST
                an empty list is rejected.
            limit: Maximum number of items to return, 1 to 100; default 10.
            row: Rendition of the found pages to return; default "jpg".
            expires_in_seconds: Lifetime of the share links in seconds, 1 to 604800; default 600.
            include: Contents to include in the items in addition to their links, at most 8 MiB per response, best
                items first.
            min_score: Only items whose score is at least this, 0 to 1.
            explain: Whether each item explains its score; default false.
            neighbours: Number of pages before and after each found page to return with it, 0 to 5; default 0.
            picture_width: Width in pixels of the pictures of include "picture": 256, 512, 1024, 1568 or 2000;
                default 1024. Without include "picture", the width at which the pictures of the first results are
                rendered in advance, for links that are read with the same `width`.
            filter: Only datasets whose metadata matches this filter: `{"field": value}`, `{"field": {"$gte":
                2020}}`, with the operators $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains and $exists,
                combined by $and, $or and $not. Pages of other datasets are not found.
            file_ext: Only pages of datasets with one of these extensions, as in their fileExt; default: every
                format.
        """
        answer = self._caller.call(
            methods.SEARCH,
            {
                "query": query if isinstance(query, str) else query.to_json(),
                "datasetIds": words(dataset_ids),
                "limit": limit,
                "row": row,
                "expiresInSeconds": expires_in_seconds,
                "include": words(include),
                "minScore": min_score,
                "explain": explain,
                "neighbours": neighbours,
                "pictureWidth": picture_width,
                "filter": filter,
                "fileExt": words(file_ext),
            },
        )
        return types.SearchResponse.from_json(answer)

    def search_many(self, searches: Sequence[types.SearchRequest]) -> types.SearchManyResponse:
        """Runs several searches at once, each as if it had been sent by itself; a search that fails does not affect the
        others. Each search counts as a request for the rate limits of the plan and of the key, and all searches
        share the size limit for contents in a response.

        Args:
            searches: The searches, 1 to 20.
        """
        answer = self._caller.call(
            methods.SEARCH_MANY,
            {
                "searches": [one.to_json() for one in searches],
            },
        )
        return types.SearchManyResponse.from_json(answer)


class Sessions:
    """Manages signed-in browsers. A session represents the member of the personal token, or the API key, that it was
    created with, and ends with the member or the key. One of its secrets is in a cookie that no script can read and
    no request from another site carries; the other is kept by the signed-in pages and sent in the header
    `x-drs-console`.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def sign_in(self, credential: str, *, dry_run: bool | None = None) -> types.Session:
        """Signs in and sets the cookie of the session. The request is rejected unless it carries the header
        `x-drs-console`, such as `x-drs-console: 1`, which a page of another site cannot send. In later requests the
        header carries the `page_secret` of the response.

        Args:
            credential: A personal token, an API key, or the code of `CreateSignInCode`.
            dry_run: Whether to only check the credential: no session begins and no code is used up; the response
                shows whom the credential signs in, with an empty id.
        """
        answer = self._caller.call(
            methods.SIGN_IN,
            {
                "credential": credential,
                "dryRun": dry_run,
            },
        )
        return types.Session.from_json(answer)

    def get_sign_in_ways(self) -> types.SignInWays:
        """Returns the sign-in methods of this service, for the sign-in page. Personal tokens, API keys and codes always
        work.
        """
        answer = self._caller.call(methods.GET_SIGN_IN_WAYS, {})
        return types.SignInWays.from_json(answer)

    def list(self) -> types.ListSessionsResponse:
        """Lists the sessions of the caller, which is a member or an API key, oldest first."""
        answer = self._caller.call(methods.LIST_SESSIONS, {})
        return types.ListSessionsResponse.from_json(answer)

    def end(self, id: str) -> None:
        """Ends a session of the caller. Unless the request is made with this session, the tokens of the devices that it
        approved and the identities that it linked end too.

        Args:
            id: Session id, ses_….
        """
        self._caller.call(
            methods.END_SESSION,
            {
                "id": id,
            },
        )

    def list_identities(self) -> types.ListIdentitiesResponse:
        """Lists the OpenID Connect identities with which the caller signs in, oldest first. An API key has none."""
        answer = self._caller.call(methods.LIST_IDENTITIES, {})
        return types.ListIdentitiesResponse.from_json(answer)

    def link_identity(self) -> types.IdentityLink:
        """Starts linking the caller, who is a member, with an identity at the provider of this service. The browser
        opens the address in the response, and returns to `/account`; from then on the member can also sign in with
        the provider. The request is rejected unless it carries the header `x-drs-console`, and an API key is
        rejected. A session that began more than five minutes ago is rejected with 401: sign in again first.
        """
        answer = self._caller.call(methods.LINK_IDENTITY, {})
        return types.IdentityLink.from_json(answer)

    def unlink_identities(self) -> None:
        """Removes the linked identities of the caller. The request is rejected if the caller has no personal token to
        sign in with.
        """
        self._caller.call(methods.UNLINK_IDENTITIES, {})

    def create_sign_in_code(self) -> types.SignInCode:
        """Creates a code with which a browser can sign in as the caller, once and within one minute. A request made
        with a session is rejected with 403.
        """
        answer = self._caller.call(methods.CREATE_SIGN_IN_CODE, {})
        return types.SignInCode.from_json(answer)


class Uploads:
    """Uploads large documents in parts. A session survives lost connections and restarts of the service: parts that
    were acknowledged need not be sent again. A session expires after 24 hours.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(
        self,
        file_name: str,
        file_ext: str,
        file_type: str,
        job_type: str,
        *,
        expiry_in_days: float | None = None,
        file_size: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_exists: types.IfExists | None = None,
        sha256: str | None = None,
        callback_url: str | None = None,
        dataset_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.StartedUpload:
        """Starts an upload session. All later calls need its key.

        Args:
            file_name: Name of the file.
            file_ext: Extension of the file: pdf, docx, pptx or xlsx.
            file_type: Media type of the file.
            job_type: Type of the job: "extract" or "vectorize". With `datasetId` it may be empty: the same as for
                the previous version.
            expiry_in_days: Days from creation until the dataset expires, up to 36500; -1: never. Default: never.
            file_size: Size of the file in bytes, if it is known. A document over the limit is then rejected before
                any part is sent, and the session cannot be ended with parts of a different total size.
            metadata: Metadata of the dataset: a JSON object whose values are strings, numbers, true, false, or lists
                of these.
            if_exists: Behaviour if the workspace already has a document with the same bytes: "create", the default,
                creates another dataset; "return" answers with the job of the existing dataset and opens no session.
                It needs `sha256`.
            sha256: SHA-256 of the document, hexadecimal, by which ifExists "return" finds an existing document. The
                end of the session verifies `checksum` instead.
            callback_url: Address that receives a POST when the job ends, with any result: http or https, on a public
                address. The message is signed (Standard Webhooks) with the callback secret of the workspace, GET
                /v1/webhooks/callbacks/secret.
            dataset_id: The dataset whose document is replaced, as by PUT /v1/datasets/{id}/file; default: the
                document becomes a new dataset. The metadata and the expiry of the dataset stay: `metadata`,
                `expiryInDays` and `ifExists` "return" are rejected with it.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.START_UPLOAD,
            {
                "fileName": file_name,
                "fileExt": file_ext,
                "fileType": file_type,
                "jobType": job_type,
                "expiryInDays": expiry_in_days,
                "fileSize": file_size,
                "metadata": metadata,
                "ifExists": if_exists,
                "sha256": sha256,
                "callbackUrl": callback_url,
                "datasetId": dataset_id,
            },
            idempotency_key=idempotency_key,
        )
        return types.StartedUpload.from_json(answer)

    def get(self, key: str) -> types.Upload:
        """Returns a session with the parts that have been received. A client reads it to resume an upload.

        Args:
            key: Key of the session.
        """
        answer = self._caller.call(
            methods.GET_UPLOAD,
            {
                "key": key,
            },
        )
        return types.Upload.from_json(answer)

    def list(self, *, offset: int | None = None, limit: int | None = None) -> Iterator[types.Upload]:
        """Lists the open sessions of the workspace, newest first. Their parts are left out. Entries are fetched as they
        are wanted, page by page.

        Args:
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page(
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page(self, *, offset: int | None = None, limit: int | None = None) -> types.ListUploadsResponse:
        """Lists the open sessions of the workspace, newest first. Their parts are left out.

        Args:
            offset: Number of sessions to skip; default 0.
            limit: Maximum number of sessions to return, 1 to 100; default 10.
        """
        answer = self._caller.call(
            methods.LIST_UPLOADS,
            {
                "offset": offset,
                "limit": limit,
            },
        )
        return types.ListUploadsResponse.from_json(answer)

    def end(
        self,
        key: str,
        *,
        parts: Sequence[types.UploadPart] | None = None,
        checksum: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Job:
        """Assembles the document from its parts and starts the job. A repeated call with the same parts returns the
        same job.

        Args:
            key: Key of the session.
            parts: All parts, each as returned by its upload. Default: all parts that have been received, by number.
            checksum: SHA-256 of the document, hexadecimal; a document with a different digest is rejected.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.END_UPLOAD,
            {
                "key": key,
                "parts": None if parts is None else [one.to_json() for one in parts],
                "checksum": checksum,
            },
            idempotency_key=idempotency_key,
        )
        return types.Job.from_json(answer)

    def abort(self, key: str) -> None:
        """Aborts a session and deletes its parts.

        Args:
            key: Key of the session.
        """
        self._caller.call(
            methods.ABORT_UPLOAD,
            {
                "key": key,
            },
        )


class Usage:
    """Shows the usage of a workspace and the limits of its organisation."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, *, history_days: int | None = None) -> types.Usage:
        """Returns the usage of the caller's workspace.

        Args:
            history_days: Number of days to return in history, today included; 400 at most. By default history is
                empty.
        """
        answer = self._caller.call(
            methods.GET_USAGE,
            {
                "historyDays": history_days,
            },
        )
        return types.Usage.from_json(answer)


class Webhooks:
    """Manages the webhooks of a workspace: addresses that receive events. Needs the admin scope."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        url: str,
        *,
        events: types.WebhookEvent | Sequence[types.WebhookEvent] | None = None,
        description: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Webhook:
        """Creates a webhook in the workspace of the caller: an address that receives the workspace's events by POST.
        Messages are signed according to Standard Webhooks, with the secret in the response. They are delivered at
        least once and in any order; a repeated message has the same webhook-id header. A workspace has at most 20
        webhooks.

        Args:
            url: Address that receives the events: http or https without user and password, on port 80, 443 or 1024
                and above, that resolves to public addresses only.
            events: Events to send; default: every event.
            description: Purpose of the webhook.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.CREATE_WEBHOOK,
            {
                "url": url,
                "events": words(events),
                "description": description,
            },
            idempotency_key=idempotency_key,
        )
        return types.Webhook.from_json(answer)

    def list(self) -> types.ListWebhooksResponse:
        """Lists the webhooks of the workspace, oldest first."""
        answer = self._caller.call(methods.LIST_WEBHOOKS, {})
        return types.ListWebhooksResponse.from_json(answer)

    def get(self, id: str) -> types.Webhook:
        """Returns one webhook.

        Args:
            id: Webhook id, wh_….
        """
        answer = self._caller.call(
            methods.GET_WEBHOOK,
            {
                "id": id,
            },
        )
        return types.Webhook.from_json(answer)

    def update(
        self,
        id: str,
        *,
        url: str | None = None,
        events: types.WebhookEvent | Sequence[types.WebhookEvent] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
    ) -> types.Webhook:
        """Changes a webhook. Fields that are left out keep their values. A disabled webhook receives nothing; its
        pending messages fail. drs disables a webhook that answers 410, and one that has accepted nothing for five
        days.

        Args:
            id: Webhook id, wh_….
            url: Address that receives the events: http or https without user and password, on port 80, 443 or 1024
                and above, that resolves to public addresses only.
            events: Events to send from now on; default: unchanged.
            description: Purpose of the webhook.
            enabled: Whether it receives events; false disables it.
        """
        answer = self._caller.call(
            methods.UPDATE_WEBHOOK,
            {
                "id": id,
                "url": url,
                "events": words(events),
                "description": description,
                "enabled": enabled,
            },
        )
        return types.Webhook.from_json(answer)

    def delete(self, id: str) -> None:
        """Deletes a webhook. Nothing more is sent to it.

        Args:
            id: Webhook id, wh_….
        """
        self._caller.call(
            methods.DELETE_WEBHOOK,
            {
                "id": id,
            },
        )

    def get_webhook_secret(self, id: str) -> types.WebhookSecret:
        """Returns the secret that signs the messages of a webhook, or, with the id "callbacks", the messages that
        uploads of the workspace have requested with callbackUrl. The audit log records who has read it.

        Args:
            id: Webhook id, wh_…, or "callbacks".
        """
        answer = self._caller.call(
            methods.GET_WEBHOOK_SECRET,
            {
                "id": id,
            },
        )
        return types.WebhookSecret.from_json(answer)

    def rotate_webhook_secret(
        self,
        id: str,
        *,
        overlap_hours: int | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhookSecret:
        """Creates a new secret for a webhook, or for "callbacks". For a while messages carry signatures with both
        secrets, so that receivers can switch.

        Args:
            id: Webhook id, wh_…, or "callbacks".
            overlap_hours: Hours for which the previous secret also signs, up to 720; with 0 it does not. Default 24.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.ROTATE_WEBHOOK_SECRET,
            {
                "id": id,
                "overlapHours": overlap_hours,
            },
            idempotency_key=idempotency_key,
        )
        return types.WebhookSecret.from_json(answer)

    def test(self, id: str) -> types.Delivery:
        """Sends a message of the type webhook.test to a webhook. GetDelivery returns its status.

        Args:
            id: Webhook id, wh_….
        """
        answer = self._caller.call(
            methods.TEST_WEBHOOK,
            {
                "id": id,
            },
        )
        return types.Delivery.from_json(answer)

    def list_deliveries(
        self,
        id: str,
        *,
        status: types.DeliveryStatus | Sequence[types.DeliveryStatus] | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Iterator[types.Delivery]:
        """Lists the messages to a webhook, or to "callbacks", newest first. They are kept for seven days after their
        delivery has succeeded or failed. Entries are fetched as they are wanted, page by page.

        Args:
            id: Webhook id, wh_…, or "callbacks".
            status: Only messages with one of these statuses; default: all.
            offset: Number of matching entries to skip; default 0.
            limit: Maximum number of entries in all; default: all.
        """
        return entries(
            lambda offset, limit: self.page_deliveries(
                id,
                status=status,
                offset=offset,
                limit=limit,
            ),
            offset,
            limit,
        )

    def page_deliveries(
        self,
        id: str,
        *,
        status: types.DeliveryStatus | Sequence[types.DeliveryStatus] | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> types.ListDeliveriesResponse:
        """Lists the messages to a webhook, or to "callbacks", newest first. They are kept for seven days after their
        delivery has succeeded or failed.

        Args:
            id: Webhook id, wh_…, or "callbacks".
            status: Only messages with one of these statuses; default: all.
            offset: Number of matching messages to skip; default 0.
            limit: Maximum number of messages to return, 1 to 100; default 10.
        """
        answer = self._caller.call(
            methods.LIST_DELIVERIES,
            {
                "id": id,
                "status": words(status),
                "offset": offset,
                "limit": limit,
            },
        )
        return types.ListDeliveriesResponse.from_json(answer)

    def get_delivery(self, id: str, message_id: str) -> types.Delivery:
        """Returns one message to a webhook, or to "callbacks".

        Args:
            id: Webhook id, wh_…, or "callbacks".
            message_id: Id of the message, its webhook-id header.
        """
        answer = self._caller.call(
            methods.GET_DELIVERY,
            {
                "id": id,
                "messageId": message_id,
            },
        )
        return types.Delivery.from_json(answer)

    def redeliver_delivery(self, id: str, message_id: str) -> types.Delivery:
        """Sends a message again, with the same id and the full number of tries, whatever its status.

        Args:
            id: Webhook id, wh_…, or "callbacks".
            message_id: Id of the message, its webhook-id header.
        """
        answer = self._caller.call(
            methods.REDELIVER_DELIVERY,
            {
                "id": id,
                "messageId": message_id,
            },
        )
        return types.Delivery.from_json(answer)


class Workspaces:
    """Manages the workspaces of an organisation and their API keys. Needs the admin scope, and is limited to the
    organisation of the caller.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, name: str, *, idempotency_key: str | None = None) -> types.Workspace:
        """Creates a workspace in the organisation.

        Args:
            name: Name of the workspace: letters, digits, dot, dash and underscore.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.CREATE_WORKSPACE,
            {
                "name": name,
            },
            idempotency_key=idempotency_key,
        )
        return types.Workspace.from_json(answer)

    def list(self) -> types.ListWorkspacesResponse:
        """Lists the organisation's workspaces, oldest first."""
        answer = self._caller.call(methods.LIST_WORKSPACES, {})
        return types.ListWorkspacesResponse.from_json(answer)

    def create_key(
        self,
        *,
        workspace: str | None = None,
        name: str | None = None,
        scopes: types.KeyScope | Sequence[types.KeyScope] | None = None,
        expires_in_days: float | None = None,
        requests_per_minute: int | None = None,
        filter: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> types.ApiKey:
        """Creates an API key for a workspace. The key is returned only here. A key with the admin scope has the rights
        of an owner, so only owners and such keys can create one.

        Args:
            workspace: Id or name of the workspace; default: the workspace of the calling key.
            name: Purpose of the key.
            scopes: Scopes of the key; default: read, write and search.
            expires_in_days: Days until the key expires, up to 3650; default: never.
            requests_per_minute: Maximum number of requests per minute of the key; default: only the limit of its
                organisation.
            filter: Binds the key permanently to a filter on the metadata of datasets: in every request it sees only
                matching datasets and their pages and jobs. A dataset that it uploads, changes or deletes must match
                with every value in its metadata lists, while one value is enough to be seen. Not with the scope
                admin. Default: no restriction.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.CREATE_KEY,
            {
                "workspace": workspace,
                "name": name,
                "scopes": words(scopes),
                "expiresInDays": expires_in_days,
                "requestsPerMinute": requests_per_minute,
                "filter": filter,
            },
            idempotency_key=idempotency_key,
        )
        return types.ApiKey.from_json(answer)

    def list_keys(self, *, workspace: str | None = None) -> types.ListKeysResponse:
        """Lists the API keys of the organisation, oldest first. The keys themselves are left out.

        Args:
            workspace: Only keys of this workspace, by id or name; default: all workspaces.
        """
        answer = self._caller.call(
            methods.LIST_KEYS,
            {
                "workspace": workspace,
            },
        )
        return types.ListKeysResponse.from_json(answer)

    def rotate_key(
        self,
        id: str,
        *,
        overlap_hours: int | None = None,
        idempotency_key: str | None = None,
    ) -> types.ApiKey:
        """Replaces an API key with a new one that has the same settings. The old key keeps working for a while, so that
        its users can switch. The lifetime of a key that expires starts again. The new key is returned only here. A
        key can be rotated once.

        Args:
            id: Id of the key to replace.
            overlap_hours: Hours for which the old key keeps working, up to 720; with 0 it is rejected at once.
                Default 24.
            idempotency_key: Makes a repetition with the same key within 24 hours get the first answer; default: a
                key of this call's own.
        """
        answer = self._caller.call(
            methods.ROTATE_KEY,
            {
                "id": id,
                "overlapHours": overlap_hours,
            },
            idempotency_key=idempotency_key,
        )
        return types.ApiKey.from_json(answer)

    def revoke_key(self, id: str) -> types.ApiKey:
        """Revokes an API key. Requests with it are rejected from then on.

        Args:
            id: Key id.
        """
        answer = self._caller.call(
            methods.REVOKE_KEY,
            {
                "id": id,
            },
        )
        return types.ApiKey.from_json(answer)



class Services:
    """All groups of methods but the search, which the client has by hand."""

    def __init__(self, caller: Caller) -> None:
        self.datasets = Datasets(caller)
        self.devices = Devices(caller)
        self.items = Items(caller)
        self.jobs = Jobs(caller)
        self.links = Links(caller)
        self.members = Members(caller)
        self.models = Models(caller)
        self.organisations = Organisations(caller)
        self.sessions = Sessions(caller)
        self.uploads = Uploads(caller)
        self.usage = Usage(caller)
        self.webhooks = Webhooks(caller)
        self.workspaces = Workspaces(caller)
