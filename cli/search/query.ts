import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { SearchQuery } from "@drs/client";
import { usageError } from "../failures.ts";

const pictureTypes: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".tif": "image/tiff",
  ".tiff": "image/tiff",
  ".avif": "image/avif",
};

/** Creates the query from words and a picture, which is an address, a data URL, or a file. */
export async function searchQueryOf(words: readonly string[], image: string | undefined): Promise<SearchQuery> {
  const text = words.join(" ").trim();
  if (image === undefined) {
    if (text === "") throw usageError("nothing to search for", "give a question, a picture with --image, or both");
    return text;
  }
  if (/^(https?|data):/i.test(image)) return { text, image };
  const type = pictureTypes[extname(image).toLowerCase()];
  if (type === undefined) {
    throw usageError(
      `${image} does not look like a picture`,
      `--image takes an http(s) address or a file: ${Object.keys(pictureTypes).join(", ")}`,
    );
  }
  return { text, image: new Blob([await readFile(image)], { type }) };
}
