import type { OfficeParts } from "./parts.ts";

/** More than a part of another format has of text; what comes after it is not compared. */
const maxBytes = 4 * 2 ** 20;

/** The text of a part of another format inside of a text document; undefined if it is none that can be read here. */
export async function readChunk({ bytes }: OfficeParts, name: string): Promise<string | undefined> {
  const head = await bytes(name, maxBytes);
  const text = head.toString(isUtf8(head) ? "utf8" : "latin1");
  if (/\.te?xt$/i.test(name)) return text;
  if (/\.x?html?$/i.test(name)) return textOfHtml(text);
  if (/\.m?ht(ml)?$/i.test(name)) return textOfHtml(htmlOfMessage(text));
  return undefined;
}

/** The HTML of a web archive (RFC 2557): its first part of that type. */
function htmlOfMessage(message: string): string {
  const [, headers = "", body = ""] =
    /(content-type:\s*text\/html[\s\S]*?)\r?\n\r?\n([\s\S]*?)(?:\r?\n--|$)/i.exec(message) ?? [];
  if (/transfer-encoding:\s*base64/i.test(headers)) return Buffer.from(body, "base64").toString("utf8");
  if (!/transfer-encoding:\s*quoted-printable/i.test(headers)) return body;
  const bytes = body
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function textOfHtml(html: string): string {
  return html
    .replace(/<(script|style|head|title)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<!--[\s\S]*?-->|<\/?(b|i|u|em|strong|span|a|font|sub|sup)\b[^>]*>/gi, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, digits: string) =>
      letter(Number.parseInt(digits, hex === "" ? 10 : 16)),
    )
    .replace(/&(nbsp|amp|lt|gt|quot|\w+);/g, " ");
}

const letter = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : " ");

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
