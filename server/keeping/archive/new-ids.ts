import { createHash } from "node:crypto";
import { type DatasetId, type JobId, parseDatasetId, parseJobId } from "../../domain/ids.ts";

/** Crockford's digits, as ids are written. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** Sixteen of them: the random part of a ULID. */
function randomPart(seed: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(seed)).digest();
  return Array.from(hash.subarray(0, 16), (byte) => digits[byte % 32]).join("");
}

/** Letters of a ULID that tell its time. */
const timeLength = 10;
const timeOf = (id: DatasetId): string => id.slice("ds_".length, "ds_".length + timeLength);

/** Another id for a dataset, as old as the old one: the same whenever the same archive comes into the same workspace. */
export function otherDatasetId(id: DatasetId, archiveId: string, workspaceId: string): DatasetId {
  const other = parseDatasetId(`ds_${timeOf(id)}${randomPart([archiveId, workspaceId, id])}`);
  if (other === undefined) throw new TypeError(`no id follows from ${id}`);
  return other;
}

/** The id of the job that stands for the import of a dataset. */
export function jobIdOf(id: DatasetId, archiveId: string): JobId {
  const job = parseJobId(`dsj_${timeOf(id)}${randomPart([archiveId, id, "job"])}`);
  if (job === undefined) throw new TypeError(`no id follows from ${id}`);
  return job;
}
