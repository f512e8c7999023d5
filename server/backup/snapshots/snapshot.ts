import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { z } from "zod";
import { unprocessable } from "../../domain/errors.ts";
import { syncFolder } from "../../storage/blobs/write.ts";
import { fileMode } from "../../storage/private-folder.ts";
import { ifThere } from "../../storage/error-codes.ts";

/** The format of snapshots; other formats are refused. */
const snapshotFormat = 1;

const summarySchema = z.object({
  format: z.literal(snapshotFormat),
  name: z.string(),
  /** Time at which the rows were copied, ms since the epoch. */
  createdAt: z.number(),
  datasets: z.number(),
  files: z.number(),
  /** Size of all files. */
  bytes: z.number(),
  /** SHA-256 of `files.jsonl`, hexadecimal. */
  filesSha256: z.string(),
  /** Problems in the data folder, one sentence each. */
  problems: z.array(z.string()),
});

/** The summary of a sealed snapshot, in `snapshot.json`. */
export type Snapshot = z.infer<typeof summarySchema>;

const entrySchema = z.object({
  /** Relative to the data folder, with slashes. */
  path: z.string().regex(/^(?!\.\.?(?:\/|$))[^/\0\\]+(?:\/(?!\.\.?(?:\/|$))[^/\0\\]+)*$/),
  size: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** A file of a snapshot: a line of `files.jsonl`. */
export type SnapshotFile = z.infer<typeof entrySchema>;

/** Returns a name that sorts by time and is a valid file name on every system. */
export const nameOfTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

const filesIn = (folder: string): string => join(folder, "files.jsonl");
const summaryIn = (folder: string): string => join(folder, "snapshot.json");

export interface SnapshotWriter {
  add(file: SnapshotFile): Promise<void>;
  /** Writes the summary, durably. */
  finish(summary: Pick<Snapshot, "name" | "createdAt" | "datasets" | "problems">): Promise<Snapshot>;
  close(): Promise<void>;
}

/** Writes a snapshot into an existing folder. */
export async function writeSnapshot(folder: string): Promise<SnapshotWriter> {
  const handle = await open(filesIn(folder), "w", fileMode);
  const hash = createHash("sha256");
  let [files, bytes] = [0, 0];
  let writing = Promise.resolve();
  const write = async (line: string): Promise<void> => {
    hash.update(line);
    await handle.writeFile(line);
  };
  return {
    add(file) {
      files += 1;
      bytes += file.size;
      writing = writing.then(() => write(`${JSON.stringify(file)}\n`));
      return writing;
    },
    async finish(about) {
      await writing;
      await handle.sync();
      const filesSha256 = hash.digest("hex");
      const snapshot: Snapshot = { format: snapshotFormat, ...about, files, bytes, filesSha256 };
      const summary = await open(summaryIn(folder), "w", fileMode);
      await summary.writeFile(`${JSON.stringify(snapshot, undefined, 2)}\n`);
      await summary.sync();
      await summary.close();
      await syncFolder(folder);
      return snapshot;
    },
    close: () => handle.close(),
  };
}

/** Lists the snapshots, oldest first. Throws `unprocessable` if one of them cannot be read. */
export async function listSnapshots(root: string): Promise<readonly Snapshot[]> {
  const names = ((await ifThere(readdir(root))) ?? []).filter((name) => !name.startsWith("."));
  return Promise.all(names.toSorted().map((name) => readSummary(root, name)));
}

async function readSummary(root: string, name: string): Promise<Snapshot> {
  try {
    const parsed: unknown = JSON.parse(await readFile(summaryIn(join(root, name)), "utf8"));
    const summary = summarySchema.parse(parsed);
    // Names become paths of folders that are read and removed.
    if (summary.name !== name) throw new Error("it has another name inside");
    return summary;
  } catch (cause) {
    throw unprocessable(
      `the snapshot ${name} cannot be read (${cause instanceof Error ? cause.message : String(cause)}); ` +
        "it is damaged, or was made by another version of drs",
    );
  }
}

/**
 * Yields the files of a snapshot. Throws `unprocessable` if the list is damaged; some damage is found only after the
 * last file.
 */
export async function* filesOf(root: string, { name, filesSha256 }: Snapshot): AsyncGenerator<SnapshotFile> {
  const hash = createHash("sha256");
  const stream = createReadStream(filesIn(join(root, name)));
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    hash.update(`${line}\n`);
    yield parseLine(line, name);
  }
  if (hash.digest("hex") !== filesSha256) throw damagedList(name);
}

function parseLine(line: string, name: string): SnapshotFile {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch {
    throw damagedList(name);
  }
}

const damagedList = (name: string): Error => unprocessable(`the list of files of the snapshot ${name} is damaged`);

/** Removes a snapshot. It is renamed first, so that it disappears at once even if the removal is interrupted. */
export async function removeSnapshot(root: string, name: string): Promise<void> {
  const doomed = join(root, `.removed-${name}`);
  await rename(join(root, name), doomed);
  await syncFolder(root);
  await rm(doomed, { recursive: true });
}
