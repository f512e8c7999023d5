import { actOfService } from "../audit/event.ts";
import { keyScopes } from "../caller.ts";
import { newWorkspaceId, type OrganisationId, type WorkspaceId } from "../ids.ts";
import { foundingEvents, newFounding } from "../organisations/found.ts";
import type { Organisation, Workspace } from "./workspace.ts";
import { unlimited } from "../plans/plan.ts";
import type { Metadata } from "../ports/metadata.ts";
import { newKey } from "./keys.ts";

/** The credentials that a client on this machine needs. */
export interface FirstCredentials {
  readonly apiKey: string;
  readonly workspaceId: WorkspaceId;
  readonly organisationId: OrganisationId;
}

/**
 * On a fresh store, creates the organisation that runs the service, with the workspace `default` and a key with
 * every scope. If the organisation exists, creates a new such key only with `reissue`. Undefined if no key was
 * created, also when another process that started at the same time has created the organisation.
 */
export async function ensureFirstCredentials(
  metadata: Metadata,
  reissue: boolean,
  now: number,
): Promise<FirstCredentials | undefined> {
  const operator = await metadata.organisations.operator();
  if (operator !== undefined) return reissue ? reissueKey(metadata, operator, now) : undefined;
  const fields = { name: "default", plan: unlimited, isOperator: true, keyName };
  const founding = newFounding(fields, now);
  const isFounder = await metadata.organisations.create(founding, foundingEvents(founding));
  if (!isFounder) return undefined;
  const { organisation, workspace, key } = founding;
  return { apiKey: key.key, workspaceId: workspace.id, organisationId: organisation.id };
}

const keyName = "first start";

async function reissueKey(metadata: Metadata, { id }: Organisation, now: number): Promise<FirstCredentials> {
  const { id: workspaceId } =
    (await metadata.workspaces.find(id, "default")) ?? (await makeWorkspace(metadata, id, now));
  const grant = { organisationId: id, workspaceId, name: keyName, scopes: keyScopes };
  const key = newKey({ ...grant, expiresAt: null, requestsPerMinute: null }, now);
  const details = "there was no credentials.json";
  const act = { action: "key.create", target: key.id, workspaceId, details } as const;
  await metadata.keys.create(key, actOfService(id, act, now));
  return { apiKey: key.key, workspaceId, organisationId: id };
}

/** For stores of an earlier release whose first start was interrupted. */
async function makeWorkspace(metadata: Metadata, organisationId: OrganisationId, now: number): Promise<Workspace> {
  const workspace = { id: newWorkspaceId(), organisationId, name: "default", createdAt: now };
  const act = {
    action: "workspace.create",
    target: workspace.id,
    workspaceId: workspace.id,
    details: "default",
  } as const;
  await metadata.workspaces.create(workspace, actOfService(organisationId, act, now));
  return workspace;
}
