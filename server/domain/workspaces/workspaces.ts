import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict } from "../errors.ts";
import { newWorkspaceId } from "../ids.ts";
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
