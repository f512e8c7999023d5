import { count, formatBytes } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import type { Action, Plan } from "./plan.ts";

/** Number of files for each kind of step in a plan. */
export interface PlanCounts {
  readonly uploaded: number;
  readonly changed: number;
  readonly renamed: number;
  readonly adopted: number;
  readonly followed: number;
  readonly vectorized: number;
  readonly cleaned: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly refusedBefore: number;
  readonly failedBefore: number;
  readonly kept: number;
  readonly keptAdopted: number;
  readonly bytes: number;
}

export function planCounts({ actions, unchanged, refused, failed, kept, keptAdopted }: Plan): PlanCounts {
  const of = (kind: Action["kind"]): number => actions.filter((action) => action.kind === kind).length;
  const uploads = actions.filter((action) => action.kind === "upload");
  return {
    uploaded: uploads.filter(({ replaces }) => replaces === undefined).length,
    changed: uploads.filter(({ replaces }) => replaces !== undefined).length,
    renamed: of("move") + of("name"),
    adopted: of("adopt"),
    followed: of("follow"),
    vectorized: of("vectorize"),
    cleaned: of("clean"),
    deleted: of("delete"),
    unchanged,
    refusedBefore: refused,
    failedBefore: failed,
    kept: kept.length,
    keptAdopted: keptAdopted.length,
    bytes: uploads.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Returns the plan in one line. */
export function planLine(counts: PlanCounts): string {
  const part = (amount: number, text: string): readonly string[] => (amount === 0 ? [] : [`${amount} ${text}`]);
  const { bytes } = counts;
  const parts = [
    ...part(counts.uploaded, "new"),
    ...part(counts.changed, "changed"),
    ...(bytes === 0 ? [] : [`${formatBytes(bytes)} to send`]),
    ...part(counts.renamed, "renamed"),
    ...part(counts.adopted, "already there"),
    ...part(counts.followed, "still being worked on"),
    ...part(counts.vectorized, "to be made searchable"),
    ...part(counts.cleaned, "with earlier contents to delete"),
    ...part(counts.deleted, "to delete"),
    ...part(counts.unchanged, "unchanged"),
    ...part(counts.refusedBefore, "refused before"),
    ...part(counts.failedBefore, "whose job failed before"),
    ...(counts.kept === 0
      ? []
      : [`${count(counts.kept, "removed file")} whose documents stay (--delete deletes them)`]),
    ...(counts.keptAdopted === 0
      ? []
      : [
          `${count(counts.keptAdopted, "removed file")} whose documents were there before (--delete-adopted deletes them)`,
        ]),
  ];
  return `plan: ${parts.length === 0 ? "nothing to do" : parts.join(", ")}`;
}

/** Returns a step in words. */
export function actionLine(action: Action): string {
  const path = printable(action.path);
  switch (action.kind) {
    case "upload":
      return action.replaces === undefined
        ? `upload  ${path} (${formatBytes(action.bytes)})`
        : `change  ${path} (${action.replaces.datasetId}, ${formatBytes(action.bytes)})`;
    case "move":
      return action.from === action.path ? `restore ${path}` : `rename  ${printable(action.from)} → ${path}`;
    case "name":
      return `rename  ${path} (${action.held.datasetId})`;
    case "adopt":
      return `keep    ${path} (${action.held.datasetId}, already there)`;
    case "follow":
      return `follow  ${path} (${action.held.datasetId})`;
    case "vectorize":
      return `vectorize ${path} (${action.held.datasetId})`;
    case "clean":
    case "delete":
      return `${action.kind === "clean" ? "clean " : "delete"}  ${path} (${action.datasets.map(({ datasetId }) => datasetId).join(", ")})`;
  }
}

/** Returns a step as JSON. */
export function actionJson(action: Action): object {
  const { kind: step, path } = action;
  if (action.kind === "upload") {
    const { bytes, replaces } = action;
    return replaces === undefined
      ? { step, path, bytes }
      : { step: "change", path, bytes, datasetId: replaces.datasetId };
  }
  if (action.kind === "move") return { step: "rename", path, from: action.from, datasetId: action.held.datasetId };
  if (action.kind === "name") return { step: "rename", path, datasetId: action.held.datasetId };
  if (action.kind === "clean" || action.kind === "delete")
    return { step, path, datasetIds: action.datasets.map(({ datasetId }) => datasetId) };
  return { step, path, datasetId: action.held.datasetId };
}
