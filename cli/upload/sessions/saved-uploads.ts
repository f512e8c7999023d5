import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandIo } from "../../command-io.ts";
import type { UploadState } from "@drs/client";
import type { DocumentOptions } from "../sources/source.ts";

/** The unfinished uploads of this user, one file each; several processes may use them at once. */
export interface SavedUploads {
  /** Returns the uploads that have not expired on the service, oldest first. */
  list(): Promise<readonly SavedUpload[]>;
  /** Saves an upload under its key, atomically. */
  keep(saved: SavedUpload): Promise<void>;
  forget(key: string): Promise<void>;
  /** Resolves when all changes are on the disk; never rejects. */
  settled(): Promise<void>;
  /** The folder of the files. */
  readonly folder: string;
}

/** Keys are used as file names. */
const safeKey = /^[A-Za-z0-9_-]{1,64}$/;

export function openSavedUploads(env: CommandIo["env"]): SavedUploads {
  const folder = join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "drs", "uploads");
  const pathOf = (key: string): string => {
    if (!safeKey.test(key)) throw new Error(`"${key}" is not the key of an upload`);
    return join(folder, `${key}.json`);
  };
  // In sequence, so that the latest state is the one that stays.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work, work);
    return last;
  };
  // Parts can end faster than states are written, so only the newest waiting state of an upload is written.
  const newest = new Map<string, SavedUpload>();
  return {
    folder,
    async list() {
      const names = await readdir(folder).catch(() => []);
      const all = await Promise.all(
        names
          .filter((name) => name.endsWith(".json"))
          .map(async (name) => readSavedUpload(await readFile(join(folder, name), "utf8").catch(() => ""))),
      );
      const open: SavedUpload[] = [];
      for (const saved of all) {
        if (saved === undefined) continue;
        if (saved.state.expiresAt > Date.now()) open.push(saved);
        else await rm(pathOf(saved.state.key), { force: true });
      }
      return open.toSorted((one, other) => one.savedAt - other.savedAt);
    },
    keep(saved) {
      const { key } = saved.state;
      const path = pathOf(key);
      newest.set(key, saved);
      return inTurn(async () => {
        const latest = newest.get(key);
        if (latest === undefined) return;
        newest.delete(key);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const partial = `${path}.${process.pid}`;
        await writeFile(partial, JSON.stringify(latest), { mode: 0o600 });
        await rename(partial, path);
      });
    },
    forget(key) {
      newest.delete(key);
      return inTurn(() => rm(pathOf(key), { force: true }));
    },
    settled: () => last.catch(() => undefined),
  };
}

/** Returns the uploads that can be resumed in the workspace. */
export function savedUploadsIn(all: readonly SavedUpload[], workspaceId: string | undefined): readonly SavedUpload[] {
  return all.filter((saved) => saved.workspaceId === undefined || saved.workspaceId === workspaceId);
}

/** Returns the saved upload of exactly this file to this server, if there is one. */
export function savedUploadOf(
  all: readonly SavedUpload[],
  file: Pick<SavedUpload, "server" | "path" | "size" | "modifiedAt" | "vectorize" | "datasetId">,
): SavedUpload | undefined {
  return all.findLast(
    (saved) =>
      saved.server === file.server &&
      saved.path === file.path &&
      saved.size === file.size &&
      saved.modifiedAt === file.modifiedAt &&
      saved.vectorize === file.vectorize &&
      saved.datasetId === file.datasetId,
  );
}

/** An upload in parts that a later process can resume: its file, and its progress. */
export interface SavedUpload extends DocumentOptions {
  readonly server: string;
  /** The workspace of its session; undefined if not known. */
  readonly workspaceId?: string | undefined;
  /** Absolute path. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Modification time of the file, milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly savedAt: number;
  readonly state: UploadState;
}

/** Parses a file of saved state; undefined if it is not one, or was written by another version. */
function readSavedUpload(text: string): SavedUpload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Some other file.
    return undefined;
  }
  return isSavedUpload(value) ? value : undefined;
}

function isSavedUpload(value: unknown): value is SavedUpload {
  return (
    isObject(value) &&
    isText(value["server"]) &&
    (value["workspaceId"] === undefined || isText(value["workspaceId"])) &&
    isText(value["path"]) &&
    isAmount(value["size"]) &&
    isAmount(value["modifiedAt"]) &&
    isAmount(value["savedAt"]) &&
    (value["datasetId"] === undefined || isText(value["datasetId"])) &&
    typeof value["vectorize"] === "boolean" &&
    (value["expiresInDays"] === undefined || typeof value["expiresInDays"] === "number") &&
    (value["metadata"] === undefined || isObject(value["metadata"])) &&
    (value["callbackUrl"] === undefined || isText(value["callbackUrl"])) &&
    [undefined, "create", "return"].some((choice) => value["ifExists"] === choice) &&
    (value["fileName"] === undefined || isText(value["fileName"])) &&
    isState(value["state"])
  );
}

function isState(value: unknown): value is UploadState {
  return (
    isObject(value) &&
    isText(value["key"]) &&
    /^[A-Za-z0-9_-]{1,64}$/.test(value["key"]) &&
    isText(value["fileName"]) &&
    isAmount(value["partBytes"]) &&
    isAmount(value["expiresAt"]) &&
    Array.isArray(value["parts"]) &&
    value["parts"].every(isPart)
  );
}

function isPart(value: unknown): boolean {
  return isObject(value) && isAmount(value["partNumber"]) && isText(value["etag"]) && isAmount(value["size"]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** The unfinished sessions of this and earlier runs. */
export interface Sessions {
  /** Returns the session of exactly this file on this server. */
  of(file: Parameters<typeof savedUploadOf>[1]): SavedUpload | undefined;
  keep(upload: SavedUpload): void;
  forget(key: string): void;
}

interface SessionSettings {
  readonly saved: SavedUploads;
  /** Workspace of the documents; undefined if the service does not report it. */
  readonly workspaceId: () => Promise<string | undefined>;
  /** Called if the state of an upload could not be saved. */
  readonly onUnsaved: (cause: unknown) => void;
}

/** Opens the sessions, which are kept in memory and saved to disk for later runs. */
export async function openSessions({ saved, workspaceId, onUnsaved }: SessionSettings): Promise<Sessions> {
  const listed = await saved.list();
  const own = listed.length === 0 ? [] : savedUploadsIn(listed, await workspaceId());
  const byKey = new Map(own.map((upload) => [upload.state.key, upload]));
  return {
    of: (file) => savedUploadOf([...byKey.values()], file),
    keep(upload) {
      byKey.set(upload.state.key, upload);
      saved.keep(upload).catch(onUnsaved);
    },
    forget(key) {
      byKey.delete(key);
      saved.forget(key).catch(onUnsaved);
    },
  };
}
