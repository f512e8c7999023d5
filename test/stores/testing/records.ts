import type { AuditEvent } from "../../../server/domain/audit/event.ts";
import { newDataset } from "../../../server/domain/datasets/create.ts";
import type { Dataset } from "../../../server/domain/datasets/dataset.ts";
import { type DeviceCode, newUserCode } from "../../../server/domain/devices/device.ts";
import {
  newDatasetId,
  newDeviceCodeId,
  newEventId,
  newInvitationId,
  newMemberId,
  newOrganisationId,
  newTokenId,
  type OrganisationId,
  type WorkspaceId,
} from "../../../server/domain/ids.ts";
import type { Invitation, Member, PersonalToken } from "../../../server/domain/members/member.ts";
import { type Job, type JobType, newJob } from "../../../server/domain/jobs/job.ts";
import { newFounding } from "../../../server/domain/organisations/found.ts";
import type { Organisation } from "../../../server/domain/workspaces/workspace.ts";
import type { ClaimedJob } from "../../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { PageRecord } from "../../../server/domain/ports/pages.ts";
import { storeClock } from "./metadata.ts";
import type { Founding } from "../../../server/domain/ports/organisations.ts";

/** Time in the tests: milliseconds after an arbitrary morning. */
export const morning = 1_790_000_000_000;

export interface Tenant {
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
}

/** A new organisation with one workspace. */
export async function createTenant(metadata: Metadata): Promise<Tenant> {
  const { organisation, workspace, key } = makeFounding();
  await metadata.organisations.create({ organisation, workspace, key }, []);
  return { organisationId: organisation.id, workspaceId: workspace.id };
}

export function makeFounding(fields: Partial<Organisation> = {}): Founding {
  const { organisation, workspace, key } = newFounding(
    { name: "Test", plan: "unlimited", isOperator: false, keyName: "first", ...fields },
    fields.createdAt ?? morning,
  );
  const { key: _secret, ...row } = key;
  return { organisation, workspace, key: row };
}

/** An entry of the audit log that says nothing in particular. */
export function makeEvent(fields: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: newEventId(),
    organisationId: newOrganisationId(),
    at: morning,
    actor: "service",
    action: "dataset.delete",
    target: "ds_1",
    workspaceId: null,
    details: "",
    ...fields,
  };
}

export function makeDataset(workspaceId: WorkspaceId, fields: Partial<Dataset> = {}): Dataset {
  const dataset = newDataset({
    id: newDatasetId(),
    workspaceId,
    fileName: "report.pdf",
    kind: { fileExt: "pdf", mimeType: "application/pdf" },
    stored: { size: 1000, sha256: "00".repeat(32) },
    expiresInDays: undefined,
    now: morning,
  });
  return { ...dataset, ...fields };
}

export function makeJob(dataset: Dataset, type: JobType = "datasets/extract", fields: Partial<Job> = {}): Job {
  return { ...newJob(dataset.workspaceId, dataset.id, type, dataset.createdAt), revision: 0, ...fields };
}

export async function createDataset(
  metadata: Metadata,
  workspaceId: WorkspaceId,
  fields: Partial<Dataset> = {},
): Promise<{ dataset: Dataset; job: Job }> {
  const dataset = makeDataset(workspaceId, fields);
  const job = makeJob(dataset);
  await metadata.datasets.create(dataset, job);
  return { dataset, job };
}

/** How long claims of tests last. */
export const leaseMs = 30_000;

/** Claims the next job, if there is one, at a time by the store's clock. */
export async function claimAt(metadata: Metadata, owner: string, at: number): Promise<ClaimedJob | undefined> {
  storeClock.now = at;
  return metadata.jobs.claim(owner, leaseMs, at);
}

/** Claims the only job there is. */
export async function claimNext(metadata: Metadata, owner = "worker", now = morning): Promise<ClaimedJob> {
  const claimed = await claimAt(metadata, owner, now);
  if (claimed === undefined) throw new Error("there is no job to claim");
  return claimed;
}

/** How a cancel of a test ends a job. */
export const cancelled = (statusText = "cancelled") => ({ statusText, event: makeEvent() });

export function makePage(page: number, fields: Partial<PageRecord> = {}): PageRecord {
  return { page, width: 595, height: 842, words: `words of page ${page}`, failure: null, ...fields };
}

export function makeDevice(fields: Partial<DeviceCode> = {}): DeviceCode {
  return {
    id: newDeviceCodeId(),
    userCode: newUserCode(),
    secretSha256: "ab".repeat(32),
    name: "a device",
    network: "192.0.2.1",
    createdAt: morning,
    expiresAt: morning + 1000,
    polledAt: null,
    answer: null,
    memberId: null,
    organisationId: null,
    sessionId: null,
    ...fields,
  };
}

export function makeInvitation(organisationId: OrganisationId, fields: Partial<Invitation> = {}): Invitation {
  return {
    id: newInvitationId(),
    organisationId,
    name: "Ada",
    email: null,
    role: "member",
    secretSha256: "cd".repeat(32),
    createdAt: morning,
    expiresAt: morning + 1000,
    ...fields,
  };
}

export function makeJoining(invitation: Invitation): { member: Member; token: PersonalToken } {
  const { organisationId, name, role } = invitation;
  const member = { id: newMemberId(), organisationId, name, role, createdAt: morning + 1, lastUsedAt: null };
  const token = {
    id: newTokenId(),
    memberId: member.id,
    name: null,
    secretSha256: "ef".repeat(32),
    createdAt: morning + 1,
  };
  return { member, token };
}

/** A member with the role. */
export async function join(store: Metadata, organisationId: OrganisationId, role: Member["role"]) {
  const invitation = makeInvitation(organisationId, { role });
  await store.invitations.create(invitation, makeEvent());
  const joining = makeJoining(invitation);
  if (!(await store.invitations.accept(invitation.id, joining, morning, makeEvent()))) throw new Error("not accepted");
  return joining;
}

/** Removes the rows that nothing finds any more, as the worker does. */
export async function removeRows(metadata: Metadata, now = morning): Promise<void> {
  for (;;) {
    const due = await metadata.garbage.due(now, 100_000);
    const rows = due.filter((garbage) => garbage.kind === "rows" || garbage.kind === "parts");
    if (rows.length === 0) return;
    for (const garbage of rows) {
      while (!(await metadata.garbage.removeRows(garbage, now)));
      await metadata.garbage.done(garbage);
    }
  }
}
