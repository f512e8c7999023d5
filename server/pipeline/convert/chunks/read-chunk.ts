import type { OfficeParts } from "../parts.ts";
import { linesOfRtf } from "./rtf.ts";
import { Parser } from "htmlparser2";

/** Maximum bytes to read, more than the text of any real part in another format has. The rest is ignored. */
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

/** Elements whose content is not shown on the page, and elements that do not break a line. */
const unshown: ReadonlySet<string> = new Set(
  "script style head title template noscript select textarea object".split(" "),
);
const inline: ReadonlySet<string> = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/** Returns the text of an HTML page, a line for each block; cells of a row and pictures are separated by a space. */
function linesOfHtml(html: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let hidden = 0;
  const end = (): void => {
    const text = line.replaceAll(/\s+/gu, " ").trim();
    if (text !== "") lines.push(text);
    line = "";
  };
  const between = (name: string): void => {
    if (name === "td" || name === "th" || name === "img") line += " ";
    else if (!inline.has(name)) end();
  };
  const parser = new Parser(
    {
      onopentag(name) {
        if (unshown.has(name)) hidden += 1;
        between(name);
        if (name === "li") line += "• ";
      },
      ontext(text) {
        if (hidden === 0) line += text;
      },
      onclosetag(name) {
        if (unshown.has(name)) hidden -= 1;
        between(name);
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  end();
  return lines;
}

/** Returns the HTML of a web archive (RFC 2557), given in Latin-1: its first part of that type. */
function htmlOfArchive(archive: string): { readonly bytes: Buffer; readonly charset?: string } {
  const from = archive.slice(Math.max(0, archive.search(/content-type:\s{0,80}text\/html/i)));
  const blank = /\r?\n\r?\n/.exec(from);
  if (blank === null) return { bytes: Buffer.alloc(0) };
  const headers = from.slice(0, blank.index);
  const charset = /charset\s{0,9}=\s{0,9}"?([\w-]{1,40})/i.exec(headers)?.[1];
  const [body = ""] = from.slice(blank.index + blank[0].length).split("\n--", 1);
  const bytes = bytesOf(body, /transfer-encoding:\s{0,80}([\w-]{1,40})/i.exec(headers)?.[1]?.toLowerCase());
  return { bytes, ...(charset !== undefined && { charset }) };
}

function bytesOf(body: string, encoding: string | undefined): Buffer {
  if (encoding === "base64") return Buffer.from(body, "base64");
  if (encoding !== "quoted-printable") return Buffer.from(body, "latin1");
  const text = body
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
