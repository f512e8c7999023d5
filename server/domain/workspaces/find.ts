import { notFound } from "../errors.ts";
import type { OrganisationId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Workspace } from "./workspace.ts";

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
