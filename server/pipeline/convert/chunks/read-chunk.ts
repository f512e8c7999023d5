import type { OfficeParts } from "../parts.ts";
import { linesOfHtml } from "./html.ts";
import { htmlOfArchive } from "./web-archive.ts";
import { linesOfRtf } from "./rtf.ts";

/** Longer than the text of any real part in another format; the rest is ignored. */
const maxBytes = 4 * 2 ** 20;

/**
 * Returns the lines of text of a part in another format inside a text document: plain text, HTML, a web archive or RTF,
 * recognised by its name and its first bytes. Undefined if it is something else.
 */
export async function readChunk(
  { bytes }: Pick<OfficeParts, "bytes">,
  name: string,
): Promise<readonly string[] | undefined> {
  const head = await bytes(name, maxBytes);
  if (head.subarray(0, 5).toString("latin1") === "{\\rtf") return linesOfRtf(head.toString("latin1"));
  if (/\.te?xt$/i.test(name)) return decodeText(head).split(/\r\n?|\n/);
  if (/\.x?html?$/i.test(name)) return linesOfHtml(decodeText(head));
  if (/\.m?ht(ml)?$/i.test(name)) {
    const { bytes: body, charset } = htmlOfArchive(head.toString("latin1"));
    return linesOfHtml(decodeText(body, charset));
  }
  return undefined;
}

/** Decodes by byte order mark, as UTF-8 if it is valid, by the declared charset, or else as Windows-1252. */
function decodeText(bytes: Buffer, charset?: string): string {
  const declared = charset ?? /charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i.exec(bytes.toString("latin1", 0, 1_024))?.[1];
  const [one, two] = bytes;
  if (one === 0xff && two === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (one === 0xfe && two === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (isUtf8(bytes)) return new TextDecoder("utf-8").decode(bytes);
  try {
    return new TextDecoder(declared ?? "windows-1252").decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
