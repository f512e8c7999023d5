import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Table } from "@lancedb/lancedb";
import { fileMode, folderMode } from "../private-folder.ts";
import { decodeHeader, digestLength, encodeRecord, headerLength, recordsIn } from "./row-record.ts";

/** Values of rows of an object store in files of this machine. Nothing is lost with them: what is not here is asked for there. */
export interface RowsOnDisk {
  /** By key, those that are here and as they were written. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  has(key: string): boolean;
  /** Keeps them soon, and is fulfilled then; some may be left out. */
  write(rows: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Ends once what was to be kept is. */
  close(): Promise<void>;
}

/** The tables of one place that are kept on this machine's disk. */
export interface PlaceOnDisk {
  of(table: Table): { readonly rows: RowsOnDisk; readonly table: string };
}

interface Options {
  readonly folder: string;
  /** Of all files; those written first go first. */
  readonly maxBytes: number;
}

interface Place {
  readonly file: string;
  readonly at: number;
  readonly length: number;
}

/** Files of a cache: one is removed at a time. */
const filesOfCache = 16;
const maxFileBytes = 32 * 2 ** 20;
/** What waits to be written; more is not kept. */
const maxWaitingBytes = 32 * 2 ** 20;
const ending = ".rows";

/**
 * A process appends to files of its own, and reads those of others that were there when it began. Each record has a checksum
 * over its key and its value, so that one that was cut off by a kill, or is damaged, is none. Opening never fails: a folder
 * that cannot be used keeps nothing.
 */
export function openRowsOnDisk({ folder, maxBytes }: Options): RowsOnDisk {
  const places = new Map<string, Place>();
  const handles = new Map<string, Promise<FileHandle>>();
  /** Those written first come first, with their sizes. */
  const files = new Map<string, number>();
  const fileBytes = Math.min(maxFileBytes, Math.ceil(maxBytes / filesOfCache));
  let waiting = new Map<string, Uint8Array>();
  let waitingBytes = 0;
  let current: string | undefined;
  const opened = readFolder().catch(() => undefined);
  let working: Promise<void> = opened;
  let isClosed = false;

  async function readFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: folderMode });
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
    const found = await Promise.all(names.map(async (name) => ({ name, facts: await stat(join(folder, name)) })));
    for (const { name } of found.toSorted((one, other) => one.facts.mtimeMs - other.facts.mtimeMs)) {
      const bytes = await readFile(join(folder, name));
      files.set(name, bytes.length);
      for (const { digest, at, length } of recordsIn(bytes)) places.set(digest, { file: name, at, length });
    }
    await makeRoom();
  }

  async function makeRoom(): Promise<void> {
    let total = [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const [name, bytes] of files) {
      if (total <= maxBytes) return;
      total -= bytes;
      files.delete(name);
      if (name === current) current = undefined;
      for (const [digest, { file }] of places) if (file === name) places.delete(digest);
      const handle = handles.get(name);
      handles.delete(name);
      await (await handle?.catch(() => undefined))?.close();
      await rm(join(folder, name), { force: true });
    }
  }

  function handleOf(name: string, flags: "r" | "ax+" = "r"): Promise<FileHandle> {
    const handle = handles.get(name) ?? open(join(folder, name), flags, fileMode);
    handles.set(name, handle);
    return handle;
  }

  async function readOne(digest: string): Promise<Uint8Array | undefined> {
    const place = places.get(digest);
    if (place === undefined) return undefined;
    try {
      const bytes = Buffer.alloc(headerLength + place.length);
      await (await handleOf(place.file)).read(bytes, 0, bytes.length, place.at);
      const header = decodeHeader(bytes, 0);
      const checked = bytes.subarray(headerLength - digestLength);
      if (header?.digest === digest && header.checksum === crc32(checked)) return bytes.subarray(headerLength);
    } catch {
      // Removed to make room, or unreadable: it is read where it comes from.
    }
    places.delete(digest);
    return undefined;
  }

  async function append(rows: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const name = current ?? `${Date.now()}-${randomUUID()}${ending}`;
    current = name;
    const handle = await handleOf(name, "ax+");
    let at = files.get(name) ?? 0;
    const records: Buffer[] = [];
    const written = new Map<string, Place>();
    for (const [digest, value] of rows) {
      if (places.has(digest)) continue;
      const record = encodeRecord(digest, value);
      written.set(digest, { file: name, at, length: value.length });
      records.push(record);
      at += record.length;
    }
    // Counted before: it may be written in part.
    files.set(name, at);
    await handle.appendFile(Buffer.concat(records));
    for (const [digest, place] of written) places.set(digest, place);
    if (at >= fileBytes) current = undefined;
    await makeRoom();
  }

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      const rows = waiting;
      waiting = new Map();
      waitingBytes = 0;
      try {
        await append(rows);
      } catch {
        // A full disk, say. What was written of it is not known; the next rows go to another file.
        current = undefined;
      }
    }
  }

  return {
    async read(keys) {
      await opened;
      const found = await Promise.all(keys.map(async (key) => [key, await readOne(digestOf(key))] as const));
      return new Map(found.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
    },
    has: (key) => places.has(digestOf(key)),
    write(rows) {
      if (isClosed) return working;
      const isIdle = waiting.size === 0;
      for (const [key, value] of rows) {
        if (waitingBytes > maxWaitingBytes) break;
        waiting.set(digestOf(key), value);
        waitingBytes += value.length;
      }
      if (isIdle) working = working.then(work);
      return working;
    },
    async close() {
      isClosed = true;
      await working;
      for (const handle of handles.values()) await (await handle.catch(() => undefined))?.close();
      handles.clear();
      places.clear();
    },
  };
}

const digestOf = (key: string): string =>
  createHash("sha256").update(key).digest().subarray(0, digestLength).toString("latin1");
