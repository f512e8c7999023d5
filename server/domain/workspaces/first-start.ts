import { keyScopes } from "../caller.ts";
import { newOrganisationId, newWorkspaceId, type OrganisationId, type WorkspaceId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import { issueKey } from "./keys.ts";

/** What a client on this machine needs to get in. */
export interface FirstCredentials {
  readonly apiKey: string;
  readonly workspaceId: WorkspaceId;
  readonly organisationId: OrganisationId;
}

/**
 * On a fresh store makes the organisation, the workspace `default` and a key with every scope. On a store that has an
 * organisation gives out a new key of the kind only if `reissue` says that the first one is not to be found any more.
 */
export async function ensureFirstCredentials(
  metadata: Metadata,
  reissue: boolean,
  now: number,
): Promise<FirstCredentials | undefined> {
  const existing = await metadata.workspaces.firstOrganisation();
  if (existing !== undefined && !reissue) return undefined;
  const organisation = existing ?? { id: newOrganisationId(), name: "default", createdAt: now };
  if (existing === undefined) await metadata.workspaces.createOrganisation(organisation);
  const fresh = { id: newWorkspaceId(), organisationId: organisation.id, name: "default", createdAt: now };
  const workspace = (await metadata.workspaces.find(organisation.id, fresh.name)) ?? fresh;
  if (workspace === fresh) await metadata.workspaces.create(fresh);
  const grant = { organisationId: organisation.id, workspaceId: workspace.id, name: "first start", scopes: keyScopes };
  const { key } = await issueKey(metadata, grant, now);
  return { apiKey: key, workspaceId: workspace.id, organisationId: organisation.id };
}
