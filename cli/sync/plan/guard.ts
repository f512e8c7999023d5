import type { Plan } from "./plan.ts";

/** Fewer deletions than this are what people do by hand. */
const fewFiles = 10;

/**
 * Whether a plan deletes so much that the folder may not be what it was, as where a disk is not mounted: everything, or
 * more than half of what is synced.
 */
export function deletesMost({ actions, known }: Pick<Plan, "actions" | "known">): boolean {
  const deleted = actions.filter(({ kind }) => kind === "delete").length;
  return deleted > 0 && (deleted === known || (deleted > fewFiles && deleted * 2 > known));
}
