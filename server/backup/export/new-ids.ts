import { createHash } from "node:crypto";
import { type DatasetId, type JobId, parseDatasetId, parseJobId } from "../../domain/ids.ts";

/** Crockford's digits, as in ids. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** Sixteen digits: the random part of a ULID. */
function randomPart(seed: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(seed)).digest();
  return Array.from(hash.subarray(0, 16), (byte) => digits[byte % 32]).join("");
}

/** Characters of a ULID that encode its time. */
const timeLength = 10;
const timeOf = (id: DatasetId): string => id.slice("ds_".length, "ds_".length + timeLength);

/** Derives another id for a dataset, of the same age: always the same for the same archive and workspace. */
export function otherDatasetId(id: DatasetId, archiveId: string, workspaceId: string): DatasetId {
  const other = parseDatasetId(`ds_${timeOf(id)}${randomPart([archiveId, workspaceId, id])}`);
  if (other === undefined) throw new TypeError(`no id follows from ${id}`);
  return other;
}

/** The id of the job that represents the import of a dataset. */
export function jobIdOf(id: DatasetId, archiveId: string): JobId {
  const job = parseJobId(`dsj_${timeOf(id)}${randomPart([archiveId, id, "job"])}`);
  if (job === undefined) throw new TypeError(`no id follows from ${id}`);
  return job;
}
