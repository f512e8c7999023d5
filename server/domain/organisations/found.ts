import { actOfService, type AuditEvent } from "../audit/event.ts";
import { keyScopes } from "../caller.ts";
import { newOrganisationId, newWorkspaceId, type OrganisationId, type WorkspaceId } from "../ids.ts";
import type { Founding } from "../ports/organisations.ts";
import { type IssuedKey, newKey } from "../workspaces/keys.ts";
import type { Organisation, Workspace } from "../workspaces/workspace.ts";
import { unlimited } from "../plans/plan.ts";
import type { Metadata } from "../ports/metadata.ts";

type OrganisationFields = Pick<Organisation, "name" | "plan" | "isOperator">;

/** Creates an organisation with the workspace `default`, to be stored together. */
export function newOrganisation(fields: OrganisationFields, now: number): Pick<Founding, "organisation" | "workspace"> {
  const organisation: Organisation = { id: newOrganisationId(), ...fields, createdAt: now };
  return {
    organisation,
    workspace: { id: newWorkspaceId(), organisationId: organisation.id, name: "default", createdAt: now },
  };
}

/** Creates an organisation with a workspace and a key with every scope, to be stored together. */
export function newFounding(
  { keyName, ...fields }: OrganisationFields & { readonly keyName: string },
  now: number,
): Founding & { readonly key: IssuedKey } {
  const { organisation, workspace } = newOrganisation(fields, now);
  const grant = { organisationId: organisation.id, workspaceId: workspace.id, name: keyName, scopes: keyScopes };
  return { organisation, workspace, key: newKey({ ...grant, expiresAt: null, requestsPerMinute: null }, now) };
}

/** The first entries of the new organisation's own log. */
export function foundingEvents({
  organisation,
  workspace,
  key,
}: Omit<Founding, "key"> & Partial<Pick<Founding, "key">>): readonly AuditEvent[] {
  const { id, name, createdAt } = organisation;
  const workspaceId = workspace.id;
  return [
    actOfService(id, { action: "organisation.create", target: id, details: JSON.stringify(name) }, createdAt),
    actOfService(
      id,
      { action: "workspace.create", target: workspaceId, workspaceId, details: workspace.name },
      createdAt,
    ),
    ...(key === undefined
      ? []
      : [
          actOfService(
            id,
            {
              action: "key.create",
              target: key.id,
              workspaceId,
              details: `${JSON.stringify(key.name)}: ${key.scopes.join(", ")}`,
            },
            createdAt,
          ),
        ]),
  ];
}

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
