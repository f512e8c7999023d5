import type { Domain } from "../../domain/domain.ts";
import { invalid, tooLarge } from "../../domain/errors.ts";
import { openShare } from "../../domain/shares/open.ts";

/** Maximum size of a picture, enough for any photo or scan of a page. The picture is held in memory. */
export const maxImageBytes = 20 * 2 ** 20;
const fetchTimeoutMs = 15_000;

/** Returns the bytes to which `image_url` refers: a data URL, a share link of this server, or a public http(s) address. */
export async function readQueryImage(domain: Domain, imageUrl: string, signal: AbortSignal): Promise<Uint8Array> {
  if (/^data:/i.test(imageUrl)) return readDataUrl(imageUrl);
  const share = await domain.shareLinks.parse(imageUrl);
  if (share !== undefined) return readShare(domain, share, signal);
  return domain.remoteFiles.fetch(imageUrl, { maxBytes: maxImageBytes, timeoutMs: fetchTimeoutMs }, signal);
}

/** Maximum length of the head of a data URL: a media type and a few parameters. */
const maxHeadCharacters = 1_000;

/**
 * Reads `data:<mime>;base64,<data>` (RFC 2397, base64 only). Parameters of the media type are ignored. No pattern here matches
 * more than one character at a time, because a caller may send tens of millions of characters.
 */
function readDataUrl(url: string): Uint8Array {
  const comma = url.slice(0, maxHeadCharacters).indexOf(",");
  const [type = "", ...parameters] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  const isBase64 = comma >= 0 && parameters.at(-1)?.toLowerCase() === "base64";
  const data = url.slice(comma + 1);
  if (!isBase64 || /[^A-Za-z0-9+/_=\s%-]/.test(data)) {
    throw invalid("image_url is not a base64 data URL; write data:<mime>;base64,<data>");
  }
  if (!/^image\//i.test(type)) throw invalid(`image_url has the media type "${type}"; it must be a picture (image/…)`);
  if (data.length > (maxImageBytes * 4) / 3 + 4) throw tooManyBytes();
  const bytes = Buffer.from(data, "base64");
  if (bytes.length === 0) throw invalid("image_url holds no data");
  return bytes;
}

/** Opens a link of this server directly: its token proves that the caller may read it. */
async function readShare(
  domain: Domain,
  share: { id: string; token: string },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const content = await openShare(domain, { ...share, embedding: "json" }, signal);
  if (content.size > maxImageBytes) throw tooManyBytes();
  if (!content.contentType.startsWith("image/")) {
    throw invalid("image_url points to an item that is not a picture; use the link of a jpg item");
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of await content.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const tooManyBytes = (): Error => tooLarge(`the query picture is larger than ${maxImageBytes / 2 ** 20} MB`);
