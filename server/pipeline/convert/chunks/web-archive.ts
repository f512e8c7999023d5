/** Returns the HTML of a web archive (RFC 2557), given in Latin-1: its first part of that type. */
export function htmlOfArchive(archive: string): { readonly bytes: Buffer; readonly charset?: string } {
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
