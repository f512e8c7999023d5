import { createPageOcr, type PageOcr } from "./ocr/page-ocr.ts";
import { checkSizes } from "./files.ts";
import { kindLongSide } from "./kind/kinds.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { modelPictureRequests } from "./model/settings.ts";
import { openPackFiles } from "./model/tower.ts";
import type { LoadedPack } from "./pack.ts";
import { packRanking } from "./pack-ranking.ts";
import type { PictureRequest } from "./raster.ts";
import { openSpace } from "./spaces.ts";
import type { SearchQuery } from "../domain/ports/worker.ts";
import { decodePicture } from "./picture/decode.ts";
import { countLetters } from "./ocr/text-layer.ts";

export { verifyPack } from "./files.ts";
export { type Manifest, readManifest } from "./manifest.ts";
export { PackError } from "./pack-error.ts";

/**
 * Loads the pack's graphs into this thread. Only the sizes of its files are checked; `verifyPack` reads them whole.
 * Throws `PackError` if the pack cannot be used.
 */
export async function loadPack(packDir: string): Promise<LoadedPack> {
  const manifest = await readManifest(packDir);
  await checkSizes(packDir, manifest);
  const files = openPackFiles(packDir);
  const spaces = await Promise.all(manifest.spaces.map((space) => openSpace(packDir, space, files)));
  const ocr = manifest.reader && createPageOcr(packDir, manifest.reader);
  return {
    ...packRanking(manifest),
    picture: pictureRequest(manifest),
    ocr,
    async prepare(work) {
      await Promise.all(spaces.flatMap((space) => space.prepare?.(work) ?? []));
    },
    async embedPage(page) {
      return (await Promise.all(spaces.map((space) => space.page(page)))).flat();
    },
    async embedQuery(query) {
      const withWords = await withPictureWords(query, ocr);
      return (await Promise.all(spaces.map((space) => space.query(withWords)))).flat();
    },
    async close() {
      await Promise.all([ocr?.close(), ...spaces.map((space) => space.close())]);
    },
  };
}

/** A picture that is large and coloured enough for the most demanding space; the others scale it down. */
function pictureRequest({ spaces }: Manifest): PictureRequest | undefined {
  const requests = spaces.flatMap((space): PictureRequest[] => {
    if (space.kind === "picture") return [{ longSide: space.longSide, channels: 1 }];
    if (space.kind === "kinds") return [{ longSide: kindLongSide, channels: 1 }];
    return space.kind === "model" ? modelPictureRequests(space) : [];
  });
  if (requests.length === 0) return undefined;
  return {
    longSide: Math.max(...requests.map(({ longSide }) => longSide)),
    channels: requests.some(({ channels }) => channels === 3) ? 3 : 1,
  };
}

/** Fewer letters are a logo or the numbers on an axis, which many pages have. */
const minLetters = 12;
/** Some 300 words tell a page from all others; more would only cost time. */
const maxCharacters = 2_000;

/**
 * Adds the words in a picture to a query that has only a picture. The picture space finds a page by its whole picture or
 * nearly all of it; a part of a page, such as one paragraph or chart, is found by its words. Throws `invalid` if the
 * picture cannot be decoded.
 */
export async function withPictureWords(query: SearchQuery, ocr: PageOcr | undefined): Promise<SearchQuery> {
  const { text = "", image } = query;
  if (ocr === undefined || image === undefined || text.trim() !== "") return query;
  // The picture keeps its size: enlarging small print gave no more words, and takes longer to read.
  const picture = await decodePicture(image, { ...ocr.picture, enlarge: false });
  const read = (await ocr.read(picture)).replace(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, "").replace(/\s+/g, " ");
  return countLetters(read) < minLetters ? query : { ...query, text: read.slice(0, maxCharacters) };
}
