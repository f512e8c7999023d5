import type { Plan } from "./plan.ts";

/** Up to this number, deletions are never suspicious. */
const fewFiles = 10;

/**
 * Returns whether a plan deletes so much that the folder may be the wrong one, for example because a disk is not
 * mounted: everything, or more than half of the synced files.
 */
export function deletesMost({ actions, known }: Pick<Plan, "actions" | "known">): boolean {
  const deleted = actions.filter(({ kind }) => kind === "delete").length;
  return deleted > 0 && (deleted === known || (deleted > fewFiles && deleted * 2 > known));
}
