import { basename } from "node:path";
import { datasetsOf, emptyRecord, type Held, type SyncRecord } from "../state/record.ts";
import { createFree, type Free } from "./free.ts";

export interface LocalFile {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The state of both sides. */
export interface Sides {
  readonly files: ReadonlyMap<string, LocalFile>;
  readonly records: ReadonlyMap<string, SyncRecord>;
  /** Returns whether nothing is known about the file at a path. */
  readonly isUnseen: (path: string) => boolean;
  /** Returns whether the service has the dataset. */
  readonly isStored: (datasetId: string) => boolean;
  /** Returns datasets that no record names, by the content and name of their documents. */
  readonly unclaimed: (sha256: string, fileName: string) => readonly Held[];
}

export interface PlanChoices {
  /** Deletes the datasets of files that are gone. */
  readonly delete: boolean;
  /** Also deletes datasets that existed before they were synced. */
  readonly deleteAdopted: boolean;
  readonly vectorize: boolean;
  /** Sends files again that the service has rejected. */
  readonly again: boolean;
}

/** One step that makes both sides equal. */
export type Action =
  /** Sends a file. Datasets of its earlier contents that it does not replace are deleted when its job has succeeded. */
  | {
      readonly kind: "upload";
      readonly path: string;
      readonly bytes: number;
      readonly sha256: string;
      /** The dataset of its earlier content, which gets a new version of its document. */
      readonly replaces: Held | undefined;
    }
  /** The dataset of another path, or of an earlier content, has this content. */
  | { readonly kind: "move"; readonly path: string; readonly from: string; readonly held: Held }
  /** An earlier run has found the dataset under another path and has not renamed it on the service. */
  | { readonly kind: "name"; readonly path: string; readonly held: Held }
  /** The service had the document before it was synced. */
  | { readonly kind: "adopt"; readonly path: string; readonly held: Held }
  /** An earlier run has sent it and has not seen its job end. */
  | { readonly kind: "follow"; readonly path: string; readonly held: Held }
  | { readonly kind: "vectorize"; readonly path: string; readonly held: Held }
  /** Deletes datasets of earlier contents. */
  | { readonly kind: "clean"; readonly path: string; readonly datasets: readonly Held[] }
  /** The file is gone. */
  | { readonly kind: "delete"; readonly path: string; readonly datasets: readonly Held[] };

export interface Plan {
  readonly actions: readonly Action[];
  /** Records to save before anything is done: the dataset of each path from now on. */
  readonly records: readonly SyncRecord[];
  /** Number of files that are equal on both sides. */
  readonly unchanged: number;
  /** Number of unchanged files that the service has rejected before. */
  readonly refused: number;
  /** Number of unchanged files whose jobs have failed before. */
  readonly failed: number;
  /** Files that are gone and whose datasets stay. */
  readonly kept: readonly string[];
  /** Files that are gone and whose datasets stay because they existed before they were synced. */
  readonly keptAdopted: readonly string[];
  /** Number of files that have datasets, whether they still exist or not. */
  readonly known: number;
}

/** Plans a sync without changing anything. */
export function planSync(sides: Sides, choices: PlanChoices): Plan {
  const { files, records, isUnseen } = sides;
  const { own, claimed, adopted, left, seen, known } = assignDatasets(sides, choices);
  const actions: Action[] = [];
  const changed: SyncRecord[] = [];
  const kept: string[] = [];
  const keptAdopted: string[] = [];
  const counts = { unchanged: 0, refused: 0, failed: 0, known };

  const keep = (path: string, held: Held | undefined, replaced: readonly Held[], isThere: boolean): void => {
    const before = records.get(path) ?? emptyRecord(path);
    const after: SyncRecord = { ...before, held, replaced, sum: isThere ? before.sum : undefined };
    if (!isThere && before.refused !== undefined) changed.push({ ...after, refused: undefined });
    else if (!isAlike(before, after)) changed.push(after);
  };

  for (const [path, file] of seen) {
    const rest = left(path);
    const right = own.get(path) ?? renamed(path, claimed.get(path)) ?? adopted.get(path);
    if (right === undefined) {
      const [held, ...replaced] = rest;
      keep(path, held, replaced, true);
      if (!choices.again && isRefused(records.get(path), file.sha256))
        counts[records.get(path)?.refused?.isFailure === true ? "failed" : "refused"] += 1;
      else actions.push({ kind: "upload", path, bytes: file.size, sha256: file.sha256, replaces: held });
      continue;
    }
    keep(path, right, rest, true);
    const from = claimed.get(path)?.path;
    if (from !== undefined) actions.push({ kind: "move", path, from, held: right });
    else if (right.isMisnamed === true) actions.push({ kind: "name", path, held: right });
    if (adopted.has(path)) actions.push({ kind: "adopt", path, held: right });
    if (right.status === "working") actions.push({ kind: "follow", path, held: right });
    else if (right.status === "failed") counts.failed += 1;
    else {
      const old = deletable(rest, choices);
      if (old.length > 0) actions.push({ kind: "clean", path, datasets: old });
      if (choices.vectorize && !right.vectorized) actions.push({ kind: "vectorize", path, held: right });
      else if (from === undefined && right.isMisnamed !== true && !adopted.has(path) && old.length === 0)
        counts.unchanged += 1;
    }
  }
  for (const { path } of records.values()) {
    if (isUnseen(path) || files.has(path)) continue;
    const rest = left(path);
    const [held, ...replaced] = rest;
    keep(path, held, replaced, false);
    if (rest.length === 0) continue;
    const gone = deletable(rest, choices);
    if (!choices.delete) kept.push(path);
    else if (gone.length > 0) actions.push({ kind: "delete", path, datasets: gone });
    if (choices.delete && gone.length < rest.length) keptAdopted.push(path);
  }
  return { actions, records: changed, kept, keptAdopted, ...counts };
}

/** The dataset of each file: that of its path, or one that it takes over. */
interface Assignment {
  readonly own: ReadonlyMap<string, Held>;
  /** Datasets of other paths or earlier contents. */
  readonly claimed: ReadonlyMap<string, Free>;
  /** Datasets that no record names. */
  readonly adopted: ReadonlyMap<string, Held>;
  /** Returns the datasets of a path that no file has. */
  left(path: string): readonly Held[];
  /** The files about which something is known, by path. */
  readonly seen: readonly (readonly [path: string, file: LocalFile])[];
  /** Number of files that have datasets, whether they still exist or not. */
  readonly known: number;
}

function assignDatasets(sides: Sides, { again }: PlanChoices): Assignment {
  const { files, records, isUnseen } = sides;
  let known = 0;
  const free = createFree();
  const own = new Map<string, Held>();
  for (const record of records.values()) {
    if (isUnseen(record.path)) continue;
    const file = files.get(record.path);
    if (datasetsOf(record).length > 0) known += 1;
    for (const held of datasetsOf(record)) {
      if (!sides.isStored(held.datasetId)) continue;
      if (held.sha256 === file?.sha256 && !own.has(record.path)) own.set(record.path, held);
      else free.add({ path: record.path, held, isGone: file === undefined });
    }
  }

  // All claims come first: only when every path has taken its dataset is it known what is left over.
  const seen = [...files].filter(([path]) => !isUnseen(path)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const wanting = seen.filter(
    ([path, { sha256 }]) => !own.has(path) && (again || !isRefused(records.get(path), sha256)),
  );
  const claimed = new Map<string, Free>();
  for (const [path, { sha256 }] of wanting) {
    const found = free.take(sha256, path);
    if (found !== undefined) claimed.set(path, found);
  }
  const adopted = new Map<string, Held>();
  const taken = new Set<string>();
  for (const [path, { sha256 }] of wanting) {
    if (claimed.has(path)) continue;
    const found = sides.unclaimed(sha256, basename(path)).find(({ datasetId }) => !taken.has(datasetId));
    if (found === undefined) continue;
    taken.add(found.datasetId);
    adopted.set(path, { ...found, isAdopted: true });
  }
  return { own, claimed, adopted, left: (path) => free.left(path), seen, known };
}

/** Returns the datasets that may be deleted: by default only those that were created for the files. */
export function deletable(datasets: readonly Held[], { deleteAdopted }: Pick<PlanChoices, "deleteAdopted">): Held[] {
  return datasets.filter(({ isAdopted }) => deleteAdopted || isAdopted !== true);
}

/** Returns the dataset that a path takes over from another one. */
function renamed(path: string, found: Free | undefined): Held | undefined {
  if (found === undefined) return undefined;
  const { held, path: from } = found;
  return basename(from) === basename(path) ? held : { ...held, isMisnamed: true };
}

function isRefused(record: SyncRecord | undefined, sha256: string): boolean {
  return record?.refused?.sha256 === sha256;
}

function isAlike(one: SyncRecord, other: SyncRecord): boolean {
  const ids = (record: SyncRecord): string =>
    datasetsOf(record)
      .map(({ datasetId }) => datasetId)
      .join(" ");
  return (
    one.held?.datasetId === other.held?.datasetId &&
    one.held?.isMisnamed === other.held?.isMisnamed &&
    ids(one) === ids(other) &&
    (one.sum === undefined) === (other.sum === undefined)
  );
}

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
