import { inflateSync } from "node:zlib";
import { isDictionary, isList, plainName, type WrittenObject } from "./written.ts";

/** Maximum bytes of unpacked content that are searched. */
const maxBytes = 2 ** 26;
const names = /\/([^\s\0()<>[\]{}/%]+)/g;

/** Returns the names, including slashes, that a content stream may use. Undefined if its filters are not supported here. */
export function contentNames({ value, data }: WrittenObject): ReadonlySet<string> | undefined {
  if (!isDictionary(value) || data === undefined) return undefined;
  const filter = value.get("/Filter");
  const filters = isList(filter) ? filter : filter === undefined ? [] : [filter];
  if (value.has("/DecodeParms") || filters.length > 1) return undefined;
  const content = filters.length === 0 ? data : filters[0] === "/FlateDecode" ? unpacked(data) : undefined;
  if (content === undefined) return undefined;
  return new Set(Array.from(content.toString("latin1").matchAll(names), ([name]) => plainName(name)));
}

function unpacked(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}
