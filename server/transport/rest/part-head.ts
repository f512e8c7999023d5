import { isUtf8 } from "node:buffer";
import { parse } from "content-disposition";
import { invalid } from "../../domain/errors.ts";

/** What the head of a form's part says (RFC 7578, section 4). */
export interface PartHead {
  readonly name: string;
  /** Without folders; undefined for a field, empty for a file without a name. */
  readonly fileName: string | undefined;
  /** Of the text of a field; a name that TextDecoder knows or not. */
  readonly charset: string;
}

/** A part needs two. */
const maxHeaders = 50;

/** Encodings that change nothing. The others died out, and RFC 7578 forbids them. */
const plainEncodings: readonly string[] = ["7bit", "8bit", "binary"];

/** Reads the head of a part. Throws `invalid`. */
export function readPartHead(head: Buffer): PartHead {
  const headers = readHeaders(head);
  // Browsers write a quote in a name as %22, as the HTML standard wants it; other clients put a backslash before it.
  const disposition = headers.get("content-disposition")?.replaceAll(String.raw`\"`, "%22");
  const { type, parameters } = parse(disposition ?? "", { multipart: true });
  const { name, filename } = parameters;
  if (type !== "form-data" || name === undefined) {
    throw invalid('every part of the form needs a name: Content-Disposition: form-data; name="…"');
  }
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!plainEncodings.includes(encoding)) {
    throw invalid(`the form field ${name} has Content-Transfer-Encoding ${encoding}; send it as it is`);
  }
  const contentType = headers.get("content-type") ?? "";
  const isFile = filename !== undefined || /^application\/octet-stream\b/i.test(contentType);
  return {
    name,
    fileName: isFile ? (filename?.split(/[\\/]/).at(-1) ?? "") : undefined,
    charset: /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? "utf-8",
  };
}

/** Header lines by their names in lower case; of a name that comes again the first counts. */
function readHeaders(head: Buffer): ReadonlyMap<string, string> {
  // Names are sent as UTF-8 (RFC 7578, section 5.1), by old clients in what most of them had instead.
  const text = head.toString(isUtf8(head) ? "utf8" : "latin1");
  const headers = new Map<string, string>();
  const lines = text.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n", maxHeaders + 1);
  if (lines.length > maxHeaders) throw invalid(`a part of the form has more than ${maxHeaders} headers`);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}
