import type { SearchQuery } from "../../domain/ports/worker.ts";
import { decodePicture } from "../picture/decode.ts";
import type { PageOcr } from "./page-ocr.ts";
import { countLetters } from "./usable.ts";

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
