import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readManifest } from "@drs/server/packs";
import { CliError } from "../failures.ts";
import { sha256Of } from "../files/sha256.ts";
import { copyFile, downloadFile, refuseFullDisk } from "./download.ts";
import type { Hub } from "./hub.ts";
import { type FoundFile, planPull, type PullPlan, type Source, type WantedFile } from "./plan.ts";

interface Pull {
  readonly source: Source;
  readonly hub: Hub;
  readonly modelsDir: string;
  /** Called once, before the first file. */
  readonly onPlan: (plan: PullPlan) => Promise<void>;
  readonly onProgress: (path: string, bytes: number, total: number | undefined) => void;
  readonly signal: AbortSignal;
}

interface Pulled {
  /** `id@version`. */
  readonly pack: string;
  readonly licence: string;
  readonly folder: string;
  /** False if it was already installed. */
  readonly isNew: boolean;
}

/**
 * Installs a model pack completely or not at all. Files that an interrupted run has downloaded stay in a separate
 * folder, from which the next run for the same source continues.
 */
export async function pullPack({ source, hub, modelsDir, onPlan, onProgress, signal }: Pull): Promise<Pulled> {
  const plan = await planPull(source, hub, signal);
  const { pack, licence } = plan;
  const folder = join(modelsDir, pack);
  if (existsSync(folder)) return { pack, licence, folder, isNew: false };
  await onPlan(plan);
  const workshop = join(modelsDir, `.pull-${shortHash(JSON.stringify(source))}`);
  await mkdir(workshop, { recursive: true });
  const unlock = await lock(workshop);
  try {
    const parts = join(workshop, "pack");
    await mkdir(parts, { recursive: true });
    await refuseFullDisk(join(parts, "pack.json"), expectedBytes(plan));
    const found: FoundFile[] = [];
    for (const wanted of plan.files) {
      const target = join(parts, wanted.path);
      const before = await checkedBefore(wanted, target, signal);
      if (before !== undefined) {
        found.push(before);
        continue;
      }
      // Only checked files get their name in the pack.
      const partial = join(workshop, `${shortHash(wanted.path)}.part`);
      found.push(await bring(wanted, partial));
      await mkdir(dirname(target), { recursive: true });
      await rename(partial, target);
    }
    await writeFile(join(parts, "pack.json"), plan.manifestText(found), { flush: true });
    // Make sure that the server can read the manifest that was just written.
    await readManifest(parts);
    await rename(parts, folder);
    await rm(workshop, { recursive: true });
    return { pack, licence, folder, isNew: true };
  } finally {
    await unlock();
  }

  function bring(wanted: WantedFile, target: string): Promise<FoundFile> {
    const shared = {
      wanted,
      target,
      signal,
      onProgress: (bytes: number, total?: number) => onProgress(wanted.path, bytes, total),
    };
    return "url" in wanted.from
      ? downloadFile({ ...shared, hub, url: wanted.from.url })
      : copyFile({ ...shared, ...wanted.from });
  }
}

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Returns a file that an interrupted run has completed, if it is still the wanted one. */
async function checkedBefore(wanted: WantedFile, target: string, signal: AbortSignal): Promise<FoundFile | undefined> {
  const size = await stat(target).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) return undefined;
  const sha256 = await sha256Of(target, { signal });
  const isWanted = size === (wanted.bytes ?? size) && sha256 === (wanted.sha256 ?? sha256);
  return isWanted ? { path: wanted.path, bytes: size, sha256 } : undefined;
}

function expectedBytes({ files }: PullPlan): number {
  return files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

/** Locks the folder: two runs for one source would overwrite each other's files. */
async function lock(workshop: string): Promise<() => Promise<void>> {
  const file = join(workshop, "pid");
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: "wx" });
      return () => rm(file, { force: true });
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    }
    const pid = Number(await readFile(file, "utf8").catch(() => ""));
    if (isAlive(pid))
      throw new CliError(`process ${pid} is pulling this model pack`, { next: "wait for it, or stop it" });
    await rm(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // The process exists but belongs to another user.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
