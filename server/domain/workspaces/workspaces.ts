import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict } from "../errors.ts";
import { newWorkspaceId } from "../ids.ts";
import type { Workspace } from "./workspace.ts";

/** Creates a workspace in the caller's organisation. Throws `conflict` if the name is taken. */
export async function createWorkspace(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { name: string } },
): Promise<Workspace> {
  const workspace: Workspace = {
    id: newWorkspaceId(),
    organisationId: caller.organisationId,
    name: input.name,
    createdAt: clock(),
  };
  if (!(await metadata.workspaces.create(workspace))) {
    throw conflict(`this organisation already has a workspace named ${JSON.stringify(input.name)}`);
  }
  return workspace;
}

export async function listWorkspaces(
  { metadata }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Workspace[]> {
  return metadata.workspaces.list(caller.organisationId);
}
