import { createHash } from "node:crypto";
import { newDataset } from "../../domain/datasets/create.ts";
import type { Dataset } from "../../domain/datasets/dataset.ts";
import { type DatasetMetadata, readMetadata } from "../../domain/datasets/metadata.ts";
import { kindOfExt } from "../../domain/documents/kind.ts";
import { readProperties } from "../../domain/documents/properties.ts";
import { unsupported } from "../../domain/errors.ts";
import {
  type DatasetId,
  type JobId,
  parseDatasetId,
  parseJobId,
  timeOfUlid,
  type WorkspaceId,
} from "../../domain/ids.ts";
import { type Job, newJob } from "../../domain/jobs/job.ts";
import type { PlanLimits } from "../../domain/plans/plan.ts";
import { damaged } from "./folder.ts";
import { type ArchivedDataset, maxAheadMs, pathOf } from "./format.ts";

interface Target {
  readonly id: DatasetId;
  readonly workspaceId: WorkspaceId;
  readonly limits: Pick<PlanLimits, "maxRetentionDays">;
  readonly now: number;
}

const dayMs = 86_400_000;
/** Longest retention of a dataset that can be requested: `expires_in_days` in the contract. */
const maxDays = 36_500;

/** Builds the row of an imported dataset. Throws `unsupported` for a format that drs does not know. */
export function datasetRow(archived: ArchivedDataset, { id, workspaceId, limits, now }: Target): Dataset {
  const { fileExt, fileName, original, converted, itemCount, createdAt, updatedAt, expiresAt } = archived;
  const { title, author } = readProperties({ title: archived.title ?? "", author: archived.author ?? "" });
  const kind = kindOfExt(fileExt);
  if (kind === undefined)
    throw unsupported(`the archive has a document of the format ${JSON.stringify(fileExt)}, which drs does not read`);
  checkTimes(archived, now);
  const { maxRetentionDays } = limits;
  const latest = maxRetentionDays === null ? null : now + Math.round(maxRetentionDays * dayMs);
  const metadata = metadataOf(archived);
  return {
    ...newDataset({ id, workspaceId, fileName, kind, stored: original, expiresInDays: undefined, metadata, now }),
    itemCount,
    convertedSize: converted?.size ?? null,
    warnings: archived.warnings,
    title,
    author,
    createdAt,
    updatedAt,
    expiresAt: latest === null ? expiresAt : Math.min(expiresAt ?? latest, latest),
  };
}

/** Refuses times in the future: such datasets would stay at the head of every list, and expire unnoticed. */
function checkTimes({ id, createdAt, updatedAt, expiresAt }: ArchivedDataset, now: number): void {
  const known = parseDatasetId(id);
  const made = known === undefined ? 0 : timeOfUlid(known.slice("ds_".length));
  for (const [name, time, latest] of [
    ["id", made, now],
    ["createdAt", createdAt, now],
    ["updatedAt", updatedAt ?? 0, now],
    ["expiresAt", expiresAt ?? 0, now + maxDays * dayMs],
  ] as const)
    if (time > latest + maxAheadMs) throw damaged(pathOf.datasets, `has a dataset whose ${name} is in the future`);
}

function metadataOf({ metadata }: ArchivedDataset): DatasetMetadata {
  try {
    return readMetadata(metadata);
  } catch (cause) {
    throw damaged(pathOf.datasets, `has a dataset with metadata that drs does not accept: ${String(cause)}`);
  }
}

/** Builds the job of an imported dataset: finished, or with the missing work still to do. */
export function jobRow(
  { id, workspaceId, itemCount, createdAt }: Dataset,
  work: {
    readonly archiveId: string;
    readonly isVectorized: boolean;
    readonly isComplete: boolean;
    readonly now: number;
  },
): Job {
  const { archiveId, isVectorized, isComplete, now } = work;
  const type = isVectorized ? "datasets/vectorize" : "datasets/extract";
  const job = newJob(workspaceId, id, type, now, { id: jobIdOf(id, archiveId) });
  if (!isComplete) return job;
  return {
    ...job,
    status: "SUCCESS",
    progress: { stage: "done", pagesDone: itemCount, pagesTotal: itemCount },
    createdAt: Math.min(createdAt, now),
    startedAt: now,
    finishedAt: now,
    updatedAt: now,
  };
}

/** The digits of Crockford's base32, in which ids are written. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** Derives the random part of a ULID (sixteen digits) from the seed. */
function randomPart(seed: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(seed)).digest();
  return Array.from(hash.subarray(0, 16), (byte) => digits[byte % 32]).join("");
}

/** Characters of a ULID that encode its time. */
const timeLength = 10;
const timeOf = (id: DatasetId): string => id.slice("ds_".length, "ds_".length + timeLength);

/** Derives another id with the same creation time: always the same for the same dataset, archive and workspace. */
export function otherDatasetId(id: DatasetId, archiveId: string, workspaceId: string): DatasetId {
  const other = parseDatasetId(`ds_${timeOf(id)}${randomPart([archiveId, workspaceId, id])}`);
  if (other === undefined) throw new TypeError(`no id follows from ${id}`);
  return other;
}

/** The id of the job that represents the import of a dataset. */
function jobIdOf(id: DatasetId, archiveId: string): JobId {
  const job = parseJobId(`dsj_${timeOf(id)}${randomPart([archiveId, id, "job"])}`);
  if (job === undefined) throw new TypeError(`no id follows from ${id}`);
  return job;
}
