import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Drs, Upload } from "@drs/client";
import { CliError, isDrsError, usageError } from "../../failures.ts";
import type { SavedUpload } from "./saved-uploads.ts";
import type { FileSource, Unreadable } from "../sources/source.ts";

/** An unfinished upload in parts, as known to this machine, to the service, or to both. */
export interface UnfinishedUpload {
  readonly key: string;
  readonly fileName: string;
  /** Undefined if it was started on another machine, or by another user. */
  readonly path: string | undefined;
  /** Bytes; null if not known. */
  readonly fileSize: number | null;
  readonly receivedBytes: number;
  /** When it was started or last resumed; milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /**
   * `open`: can be resumed. `sent`: complete, only its outcome is not known. `gone`: the service no longer knows it, so
   * it starts over. `elsewhere`: started on another machine.
   */
  readonly state: "open" | "sent" | "gone" | "elsewhere";
}

/** Returns the unfinished uploads of this machine to a server, and those that only the server knows. */
export async function unfinishedUploads(
  drs: Drs,
  saved: readonly SavedUpload[],
  signal: AbortSignal,
): Promise<readonly UnfinishedUpload[]> {
  const here = new Map(saved.map((upload) => [upload.state.key, upload]));
  const found: UnfinishedUpload[] = [];
  for await (const upload of drs.uploads.list({}, { signal })) {
    const own = here.get(upload.key);
    found.push(described(upload, own?.path, own === undefined ? "elsewhere" : "open"));
    here.delete(upload.key);
  }
  for (const own of here.values()) found.push(await closed(drs, own, signal));
  return found;
}

function described(
  { key, fileName, fileSize, receivedBytes, createdAt, expiresAt }: Upload,
  path: string | undefined,
  state: UnfinishedUpload["state"],
): UnfinishedUpload {
  return { key, fileName, path, fileSize, receivedBytes, createdAt, expiresAt, state };
}

/** Describes an upload that is no longer open on the service. */
async function closed(
  drs: Drs,
  { path, size, savedAt, state: { key, fileName, expiresAt } }: SavedUpload,
  signal: AbortSignal,
): Promise<UnfinishedUpload> {
  try {
    return { ...described(await drs.uploads.get(key, { signal }), path, "sent"), receivedBytes: size };
  } catch (cause) {
    if (!isDrsError(cause) || cause.code !== "not_found") throw cause;
    return { key, fileName, path, fileSize: size, receivedBytes: 0, createdAt: savedAt, expiresAt, state: "gone" };
  }
}

/** Yields the files of saved uploads to resume; files that have changed are yielded as unreadable. */
export async function* sourcesOf(
  saved: readonly SavedUpload[],
): AsyncGenerator<FileSource | Unreadable, void, undefined> {
  for (const upload of saved) {
    const { path, size, modifiedAt, state } = upload;
    const { datasetId, vectorize, expiresInDays, metadata, callbackUrl, ifExists, fileName } = upload;
    const options = { datasetId, vectorize, expiresInDays, metadata, callbackUrl, ifExists, fileName };
    const label = basename(path);
    try {
      const found = await stat(path);
      if (found.size !== size || found.mtimeMs !== modifiedAt) {
        throw new CliError(`${path} has changed since its upload began`, {
          next: `upload it as it is now with: drs upload ${path}; drs uploads abort ${state.key} deletes what was sent`,
        });
      }
      yield { kind: "file", path, label, size, modifiedAt, options };
    } catch (cause) {
      yield { kind: "unreadable", path, label, cause };
    }
  }
}

/** Returns the uploads that `drs uploads resume` continues. Throws usage errors if that is not clear. */
export function uploadsToResume(
  own: readonly SavedUpload[],
  key: string | undefined,
  all: boolean,
): readonly SavedUpload[] {
  if (all && key !== undefined) throw usageError("--all and a key cannot be combined", "leave one out");
  if (all || (key === undefined && own.length === 1)) return own;
  if (key === undefined)
    throw usageError(
      own.length === 0
        ? "there are no unfinished uploads from this machine to this server"
        : `there are ${own.length} unfinished uploads`,
      own.length === 0 ? "drs uploads list shows those of the service" : "name one, or --all: drs uploads list",
    );
  const found = own.filter(({ state }) => state.key === key);
  if (found.length === 0)
    throw usageError(
      `${key} was not started on this machine for this server`,
      "drs uploads list shows what can be resumed",
    );
  return found;
}
