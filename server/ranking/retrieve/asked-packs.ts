import type { WorkspaceId } from "../../domain/ids.ts";
import type { Packs } from "../../domain/models/packs.ts";

/** Workspaces of which it is remembered; some hundred bytes each. */
const maxWorkspaces = 10_000;

const asked = new WeakMap<Packs, Map<WorkspaceId, readonly string[]>>();

/** The ids of the packs that this process has asked for the workspace last. By now they may be others. */
export const askedLast = (packs: Packs, workspaceId: WorkspaceId): readonly string[] =>
  asked.get(packs)?.get(workspaceId) ?? [];

export function noteAsked(packs: Packs, workspaceId: WorkspaceId, ids: readonly string[]): void {
  const known = asked.get(packs) ?? new Map<WorkspaceId, readonly string[]>();
  asked.set(packs, known);
  if (known.size >= maxWorkspaces) known.clear();
  known.set(workspaceId, ids);
}
