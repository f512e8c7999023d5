import type { ByteRange } from "../../domain/ports/blobs.ts";

/**
 * What a Range header (RFC 9110, section 14.2) asks for of a body of `size` bytes: one range, the whole body (no
 * header, another unit than bytes, or several ranges), or a range that cannot be served.
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
