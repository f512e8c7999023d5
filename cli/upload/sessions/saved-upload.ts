import type { UploadState } from "@drs/client";
import type { DocumentOptions } from "../sources/source.ts";

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
export function readSavedUpload(text: string): SavedUpload | undefined {
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
