import type { OfficeParts } from "./parts.ts";

/** More than a part of another format has of text; what comes after it is not compared. */
const maxBytes = 4 * 2 ** 20;

/** The text of a part of another format inside of a text document; undefined if it is none that can be read here. */
export async function readChunk({ bytes }: Pick<OfficeParts, "bytes">, name: string): Promise<string | undefined> {
  const head = await bytes(name, maxBytes);
  const text = head.toString(isUtf8(head) ? "utf8" : "latin1");
  if (/\.te?xt$/i.test(name)) return text;
  if (/\.x?html?$/i.test(name)) return textOfHtml(text);
  if (/\.m?ht(ml)?$/i.test(name)) return textOfHtml(htmlOfMessage(text));
  return undefined;
}

/** The HTML of a web archive (RFC 2557): its first part of that type. */
function htmlOfMessage(message: string): string {
  const from = message.slice(Math.max(0, message.search(/content-type:\s{0,80}text\/html/i)));
  const blank = /\r?\n\r?\n/.exec(from);
  if (blank === null) return "";
  const headers = from.slice(0, blank.index);
  const [body = ""] = from.slice(blank.index + blank[0].length).split("\n--", 1);
  if (/transfer-encoding:\s{0,80}base64/i.test(headers)) return Buffer.from(body, "base64").toString("utf8");
  if (!/transfer-encoding:\s{0,80}quoted-printable/i.test(headers)) return body;
  const bytes = body
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Elements whose content is no text of the page, and those that stand within words. */
const unshown: ReadonlySet<string> = new Set(["script", "style", "head", "title"]);
const inline: ReadonlySet<string> = new Set("b i u em strong span a font sub sup".split(" "));

/**
 * The text between the tags. Goes through the HTML once and never back, whatever it is: it may be made to take long. What follows a
 * tag, comment or unshown element without an end is left out.
 */
function textOfHtml(html: string): string {
  const lower = html.toLowerCase();
  let text = "";
  let at = 0;
  for (let tag = html.indexOf("<"); tag !== -1; tag = html.indexOf("<", at)) {
    text += html.slice(at, tag);
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(tag, tag + 24))?.[1] ?? "";
    const isComment = html.startsWith("<!--", tag);
    const isUnshown = unshown.has(name) && html[tag + 1] !== "/";
    const end = isComment ? "-->" : isUnshown ? `</${name}` : ">";
    const from = lower.indexOf(end, tag);
    if (from === -1) return decoded(text);
    if (!isComment && !inline.has(name)) text += " ";
    // The end tag of what is not shown comes next.
    at = isUnshown ? from : from + end.length;
  }
  return decoded(text + html.slice(at));
}

const decoded = (text: string): string =>
  text
    .replace(/&#(x?)([0-9a-f]{1,8});/gi, (_, hex: string, digits: string) =>
      letter(Number.parseInt(digits, hex === "" ? 10 : 16)),
    )
    .replace(/&\w{1,32};/g, " ");

const letter = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : " ");

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
