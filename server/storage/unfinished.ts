import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conflict } from "../domain/errors.ts";
import { fileMode, folderMode } from "./private-folder.ts";

/** Stores that an interrupted restore or move has filled only partly, and which must not be served. */
export interface Unfinished {
  /** The command that continues the restore or move. */
  readonly command: string;
  /** Identifies this restore or move. */
  readonly id: string;
  /** The stores, as identified by `fingerprintOf`. */
  readonly stores: string;
}

interface StoreUrls {
  readonly databaseUrl: string | undefined;
  readonly blobUrl: string | undefined;
  readonly vectorUrl: string | undefined;
}

/** Identifies the stores of a data folder without revealing a password that their addresses may contain. */
export const fingerprintOf = ({ databaseUrl, blobUrl, vectorUrl }: StoreUrls): string =>
  createHash("sha256")
    .update(JSON.stringify([databaseUrl ?? "", blobUrl ?? "", vectorUrl ?? ""]))
    .digest("hex");

const pathIn = (dataDir: string): string => join(dataDir, "unfinished.json");

export function readUnfinished(dataDir: string): Unfinished | undefined {
  let text: string;
  try {
    text = readFileSync(pathIn(dataDir), "utf8");
  } catch {
    return undefined;
  }
  const parsed: unknown = JSON.parse(text);
  const part = (name: string): string => String(Reflect.get(Object(parsed), name));
  return { command: part("command"), id: part("id"), stores: part("stores") };
}

export function writeUnfinished(dataDir: string, unfinished: Unfinished): void {
  mkdirSync(dataDir, { recursive: true, mode: folderMode });
  const temporary = `${pathIn(dataDir)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(unfinished)}\n`, { mode: fileMode, flush: true });
  renameSync(temporary, pathIn(dataDir));
}

export const removeUnfinished = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true });

/** Throws `conflict` if the stores are only partly filled. */
export function refuseUnfinished(dataDir: string, urls: StoreUrls): void {
  const unfinished = readUnfinished(dataDir);
  if (unfinished?.stores !== fingerprintOf(urls)) return;
  throw conflict(
    `the stores of the data folder ${dataDir} are not complete: drs ${unfinished.command} was interrupted; run the same command again to resume`,
  );
}
