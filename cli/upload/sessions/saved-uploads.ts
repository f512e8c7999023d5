import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandIo } from "../../command-io.ts";
import { readSavedUpload, type SavedUpload } from "./saved-upload.ts";

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
  // Parts end faster than disks write: of the states that wait, only the newest is written.
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
