import type { IncomingHttpHeaders } from "node:http";
import type { ByteRange } from "../../domain/ports/blobs.ts";

interface Validators {
  /** The etag, with quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch, UTC. */
  readonly modifiedAt: number;
}

/** Evaluates the conditional headers of a GET or HEAD in the order of RFC 9110, section 13.2.2. */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  validators: Validators,
): "proceed" | "not_modified" | "precondition_failed" {
  const ifMatch = headers["if-match"];
  const ifUnmodifiedSince = dateOf(headers["if-unmodified-since"]);
  if (ifMatch !== undefined) {
    if (!listHas(ifMatch, validators.etag, "strong")) return "precondition_failed";
  } else if (ifUnmodifiedSince !== undefined && seconds(validators.modifiedAt) > ifUnmodifiedSince) {
    return "precondition_failed";
  }
  const ifNoneMatch = headers["if-none-match"];
  const ifModifiedSince = dateOf(headers["if-modified-since"]);
  if (ifNoneMatch !== undefined) return listHas(ifNoneMatch, validators.etag, "weak") ? "not_modified" : "proceed";
  const isUnmodified = ifModifiedSince !== undefined && seconds(validators.modifiedAt) <= ifModifiedSince;
  return isUnmodified ? "not_modified" : "proceed";
}

/** Whether the client's part of a body belongs to the current version, so that its Range means the same bytes. */
export function rangeStillFits(ifRange: string | string[] | undefined, validators: Validators): boolean {
  if (typeof ifRange !== "string") return true;
  if (ifRange.startsWith('"') || ifRange.startsWith("W/")) return ifRange === validators.etag;
  return dateOf(ifRange) === seconds(validators.modifiedAt);
}

/**
 * Whether `*` or a list of entity tags contains the tag. Weak comparison ignores the prefix of weak tags, strong
 * comparison fails on it.
 */
function listHas(list: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (list.trim() === "*") return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (comparison === "weak" ? tag.replace(/^W\//, "") : tag) === etag);
}

/** HTTP dates are whole seconds. */
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

function dateOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : seconds(time);
}

/**
 * Parses a Range header (RFC 9110, section 14.2) for a body of `size` bytes: one range, the whole body (no header,
 * another unit than bytes, or several ranges), or a range that cannot be satisfied.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [unit = "", list = ""] = (header ?? "").split("=", 2).map((part) => part.trim());
  if (unit.toLowerCase() !== "bytes") return "whole";
  if (list.includes(",")) return "whole";
  const [, first = "", last = ""] = /^(\d*)-(\d*)$/.exec(list) ?? [];
  if (first === "") {
    const length = Math.min(Number(last), size);
    return last === "" || length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? "unsatisfiable" : { start, end };
}
