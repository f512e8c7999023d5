import { constants, createWriteStream } from "node:fs";
import { open, readFile, realpath, rm, stat, statfs, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../failures.ts";
import { sha256Of } from "../files/sha256.ts";
import { failureOf, type Hub, Passing } from "./hub.ts";
import type { FoundFile, WantedFile } from "./plan.ts";
import { dirname, join, sep } from "node:path";
import { formatBytes } from "../output/amounts.ts";

interface Download {
  readonly hub: Hub;
  readonly wanted: WantedFile;
  readonly url: string;
  /** Path of the file; an incomplete download is kept there and continued. */
  readonly target: string;
  /** Called with the bytes received so far, and with the size once it is known. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * Maximum bytes of a file whose size the manifest does not state: more than any model with which today's machines can
 * embed pages.
 */
const maxUnsaidBytes = 64 * 2 ** 30;
/** Pauses between tries, long enough for a server to restart; after that, the same command continues the download. */
const waitsMs = [1_000, 5_000, 15_000];

/**
 * Fetches a file, and continues where an earlier run stopped if the server still has the same file. Throws `CliError`
 * if the result is not the wanted file; then nothing of it is kept.
 */
export async function downloadFile(download: Download): Promise<FoundFile> {
  const { wanted, target, signal } = download;
  for (let failures = 0; ; failures++) {
    try {
      await fetchRest(download);
      return await check(wanted, target, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof Passing)) throw cause;
      const wait = waitsMs[failures];
      if (wait === undefined) {
        throw new CliError(`${wanted.path}: ${cause.message}`, {
          next: "run the same command again to continue",
        });
      }
      await sleep(wait, undefined, { signal });
    }
  }
}

async function fetchRest({ hub, wanted, url, target, onProgress, signal }: Download): Promise<void> {
  const limit = wanted.bytes ?? maxUnsaidBytes;
  const there = await stat(target).then(
    ({ size }) => size,
    () => 0,
  );
  const etag = await readFile(tagFile(target), "utf8").catch(() => "");
  if (there > limit) await rm(target);
  else if (there === wanted.bytes) return onProgress(there, wanted.bytes);
  const after = there > 0 && there < limit && etag !== "" ? { bytes: there, etag } : undefined;
  const response = await hub.open(url, after, signal);
  const { host } = new URL(url);
  try {
    const isRest = response.statusCode === 206 && startsAt(response.headers["content-range"]) === there;
    if (response.statusCode === 206 && !isRest) {
      await rm(target, { force: true });
      throw new Passing(`${host} sent another part of the file than the one asked for`);
    }
    const start = isRest ? there : 0;
    const length = response.headers["content-length"];
    const total = length === undefined ? wanted.bytes : start + Number(length);
    if (total !== undefined && total > limit) throw tooLarge(wanted, limit);
    await refuseFullDisk(target, (total ?? start) - start);
    // Only a strong tag says that the bytes are the same. It is written first, so that partial bytes never exist
    // without it.
    const tag = response.headers.etag ?? "";
    if (!isRest) await writeFile(tagFile(target), tag.startsWith("W/") ? "" : tag);
    let bytes = start;
    await pipeline(
      response,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > limit) throw tooLarge(wanted, limit);
          onProgress(bytes, total);
          yield chunk;
        }
      },
      createWriteStream(target, { flags: isRest ? "a" : "w", flush: true }),
      { signal },
    );
    if (total !== undefined && bytes < total) throw new Passing(`${host} ended the connection early`);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CliError) await forget(target);
    throw isOfDisk(cause) ? cause : failureOf(cause, host);
  } finally {
    response.destroy();
  }
}

/** Compares size and SHA-256 with the wanted ones; what the manifest does not state is measured. */
async function check(wanted: WantedFile, target: string, signal: AbortSignal): Promise<FoundFile> {
  const { path } = wanted;
  const { size } = await stat(target);
  if (wanted.bytes !== undefined && size !== wanted.bytes) {
    await forget(target);
    throw new CliError(`${path} has ${size} bytes instead of ${wanted.bytes}: it was changed at its source`);
  }
  const sha256 = await sha256Of(target, { signal });
  if (wanted.sha256 !== undefined && sha256 !== wanted.sha256) {
    await forget(target);
    throw new CliError(`${path} is not the expected file: its SHA-256 is ${sha256}, not ${wanted.sha256}`, {
      next: "it was changed in transit or at its source; try again, and if that does not help, ask the provider of the pack",
    });
  }
  await rm(tagFile(target), { force: true });
  return { path, bytes: size, sha256 };
}

const tagFile = (target: string): string => `${target}.etag`;

async function forget(target: string): Promise<void> {
  await rm(target, { force: true });
  await rm(tagFile(target), { force: true });
}

function startsAt(contentRange: string | undefined): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(contentRange ?? "") ?? [];
  return start === undefined ? undefined : Number(start);
}

function tooLarge({ path }: WantedFile, limit: number): CliError {
  return new CliError(`${path} is larger than the ${limit} bytes that are expected`);
}

/** Returns whether the cause of the failure is on this machine, so that another try would not help. */
function isOfDisk(cause: unknown): boolean {
  const call: unknown = cause instanceof Error ? Reflect.get(cause, "syscall") : undefined;
  return typeof call === "string" && ["open", "write", "fsync", "close"].includes(call);
}

/** Space that is left for other programs, bytes. */
const reserveBytes = 200 * 2 ** 20;

/** Throws unless the disk of the file has space for that many bytes and some to spare. */
export async function refuseFullDisk(file: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file));
  const free = bavail * bsize;
  if (bytes + reserveBytes <= free) return;
  throw new CliError(
    `the disk of ${dirname(file)} has ${formatBytes(free)} free; ${formatBytes(bytes + reserveBytes)} are needed`,
    {
      next: "free some space, or choose another folder with --models-dir",
    },
  );
}

interface Copy {
  readonly wanted: WantedFile;
  /** Path inside `folder`. */
  readonly file: string;
  readonly folder: string;
  readonly target: string;
  readonly onProgress: (bytes: number, total: number | undefined) => void;
  readonly signal: AbortSignal;
}

/** Copies a file of a folder, but never follows a link. Throws `CliError` if it is not the wanted file. */
export async function copyFile({ wanted, file, folder, target, onProgress, signal }: Copy): Promise<FoundFile> {
  const path = join(folder, file);
  const [base, real] = await Promise.all([realpath(folder), realpath(path)]).catch((cause: unknown) => {
    throw new CliError(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  if (real !== join(base, file.split("/").join(sep))) {
    throw new CliError(`${path} is a link; a model pack holds its files themselves`);
  }
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    if (wanted.bytes !== undefined && size !== wanted.bytes) {
      throw new CliError(`${path} has ${size} bytes where its manifest says ${wanted.bytes}`);
    }
    await refuseFullDisk(target, size);
    let bytes = 0;
    await pipeline(
      handle.createReadStream({ autoClose: false }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          onProgress(bytes, size);
          yield chunk;
        }
      },
      createWriteStream(target, { flush: true }),
      { signal },
    );
  } finally {
    await handle.close();
  }
  const found = { path: wanted.path, bytes: wanted.bytes ?? 0, sha256: await sha256Of(target, { signal }) };
  if (wanted.sha256 !== undefined && found.sha256 !== wanted.sha256) {
    throw new CliError(`${path} has been changed: its SHA-256 is not the manifest's`);
  }
  return found;
}
