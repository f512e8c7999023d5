import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import { newWorkspaceId, type OrganisationId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Workspace } from "./workspace.ts";

/** Creates a workspace in the caller's organisation. Throws `conflict` if the name is taken. */
export async function createWorkspace(
  { metadata, clock }: Domain,
  { caller, input: { name } }: { caller: Caller; input: { name: string } },
): Promise<Workspace> {
  const { organisationId } = caller;
  const createdAt = clock();
  const workspace: Workspace = { id: newWorkspaceId(), organisationId, name, createdAt };
  const act = { action: "workspace.create", target: workspace.id, workspaceId: workspace.id, details: name } as const;
  if (!(await metadata.workspaces.create(workspace, actOf(caller, act, createdAt)))) {
    throw conflict(`this organisation already has a workspace named ${JSON.stringify(name)}`, { reason: "NAME_TAKEN" });
  }
  return workspace;
}

export async function listWorkspaces(
  { metadata }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Workspace[]> {
  return metadata.workspaces.list(caller.organisationId);
}

/** Finds a workspace by id or name. Throws `not_found` if it is unknown, or of another organisation. */
export async function findWorkspace(
  { workspaces }: { readonly workspaces: Pick<Metadata["workspaces"], "find"> },
  organisationId: OrganisationId,
  idOrName: string,
): Promise<Workspace> {
  const workspace = await workspaces.find(organisationId, idOrName);
  if (workspace === undefined) throw noSuchWorkspace(idOrName);
  return workspace;
}

/** The default workspace of a member's calls: the organisation's oldest. */
export async function homeWorkspace(
  { workspaces }: { readonly workspaces: Pick<Metadata["workspaces"], "oldest"> },
  organisationId: OrganisationId,
): Promise<Workspace> {
  const oldest = await workspaces.oldest(organisationId);
  if (oldest === undefined) throw new Error(`the organisation ${organisationId} has no workspace`);
  return oldest;
}

export const noSuchWorkspace = (idOrName: string): Error =>
  notFound(`there is no workspace ${JSON.stringify(idOrName)} in this organisation`, { reason: "WORKSPACE_NOT_FOUND" });
