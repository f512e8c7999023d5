import { createPageOcr, type PageOcr } from "./ocr/page-ocr.ts";
import { checkSizes } from "./files.ts";
import { encodeKinds, encodeWanted, kindLongSide, kindsNamed } from "./kind/kinds.ts";
import { type KindSpace, type Manifest, type PictureSpace, readManifest, type TextSpace } from "./manifest.ts";
import { modelPictureRequests } from "./model/settings.ts";
import { openPackFiles, type PackFiles } from "./model/tower.ts";
import type { LoadedPack, OpenSpace } from "./pack.ts";
import { packRanking } from "./pack-ranking.ts";
import type { PictureRequest, Raster } from "./raster.ts";
import type { SearchQuery } from "../domain/ports/worker.ts";
import { decodePicture } from "./picture/decode.ts";
import { countLetters } from "./ocr/text-layer.ts";
import { invalid } from "../domain/errors.ts";
import { openModelSpace } from "./model/space.ts";
import { pageSignature, querySignatures } from "./picture/signature.ts";
import { openTextEncoder } from "./text/encoder.ts";
import { join } from "node:path";
import { openClassifier } from "./kind/classifier.ts";
import { featuresOf } from "./kind/features.ts";

export { verifyPack } from "./files.ts";
export { type Manifest, readManifest } from "./manifest.ts";
export { PackError } from "./pack-error.ts";

/**
 * Loads the pack's graphs into this thread. Checks only the sizes of its files; `verifyPack` reads the files to their end. Throws
 * `PackError` if the pack cannot be used.
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

/**
 * Returns the request for a picture that is large and coloured enough for the most demanding space. The other spaces scale it
 * down.
 */
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

/** Minimum letters to take from a picture: fewer are a logo or the numbers on an axis, which many pages have. */
const minLetters = 12;
/**
 * Maximum characters to take from a picture: some 300 words distinguish a page from all others, and more would only cost time.
 */
const maxCharacters = 2_000;

/**
 * Adds the words in a picture to a query that has only a picture. The picture space finds a page by its whole picture or
 * nearly all of it; a part of a page, such as one paragraph or chart, is found by its words. Throws `invalid` if the
 * picture cannot be decoded.
 */
async function withPictureWords(query: SearchQuery, ocr: PageOcr | undefined): Promise<SearchQuery> {
  const { text = "", image } = query;
  if (ocr === undefined || image === undefined || text.trim() !== "") return query;
  // The picture keeps its size: enlarging small print gave no more words and took longer to read.
  const picture = await decodePicture(image, { ...ocr.picture, enlarge: false });
  const read = (await ocr.read(picture)).replace(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, "").replace(/\s+/g, " ");
  return countLetters(read) < minLetters ? query : { ...query, text: read.slice(0, maxCharacters) };
}

/** Opens a space of a pack; `files` are the pack's files, which its spaces share. */
async function openSpace(packDir: string, space: Manifest["spaces"][number], files: PackFiles): Promise<OpenSpace> {
  switch (space.kind) {
    case "lexical":
      return lexicalSpace(space.name);
    case "text":
      return textSpace(packDir, space);
    case "picture":
      return pictureSpace(space);
    case "kinds":
      return openKindSpace(packDir, space);
    case "model":
      return openModelSpace(files, space);
  }
}

function lexicalSpace(space: string): OpenSpace {
  return {
    page: async ({ words }) => (words.trim() === "" ? [] : [{ space, kind: "lexical", words }]),
    query: async ({ text = "" }) => (text.trim() === "" ? [] : [{ space, kind: "lexical", text }]),
    close: async () => {},
  };
}

async function textSpace(packDir: string, settings: TextSpace): Promise<OpenSpace> {
  const encoder = await openTextEncoder(packDir, settings);
  const space = settings.name;
  return {
    async page({ words }) {
      const vectors = words.trim() === "" ? [] : await encoder.document(words);
      return vectors.length === 0 ? [] : [{ space, kind: "dense", vectors }];
    },
    async query({ text = "" }) {
      const vector = text.trim() === "" ? undefined : await encoder.query(text);
      return vector === undefined ? [] : [{ space, kind: "dense", vectors: [vector] }];
    },
    close: () => encoder.close(),
  };
}

function pictureSpace({ name: space, longSide }: PictureSpace): OpenSpace {
  return {
    async page({ picture }) {
      const signature = picture === undefined ? undefined : pageSignature(picture);
      return signature === undefined ? [] : [{ space, kind: "dense", vectors: [signature] }];
    },
    async query({ text = "", image }) {
      if (image === undefined) return [];
      const signatures = querySignatures(await decodePicture(image, { longSide }));
      if (signatures.length > 0) return signatures.map((vector) => ({ space, kind: "dense", vectors: [vector] }));
      if (text.trim() !== "") return [];
      throw invalid("the query picture is blank; send one with something on it, or add words");
    },
    close: async () => {},
  };
}

/** Opens the space of page types (charts, tables, photos …), for queries that name them. Throws `PackError`. */
async function openKindSpace(packDir: string, { name: space, weights }: KindSpace): Promise<OpenSpace> {
  const classify = await openClassifier(join(packDir, weights));
  return {
    async page({ words, picture }) {
      if (picture === undefined || isBlank(picture)) return [];
      return [{ space, kind: "dense", vectors: [encodeKinds(classify(featuresOf({ picture, words })))] }];
    },
    async query({ text = "" }) {
      const wanted = encodeWanted(kindsNamed(text));
      return wanted === undefined ? [] : [{ space, kind: "dense", vectors: [wanted] }];
    },
    close: async () => {},
  };
}

/** Whether the page has nothing darker than a stain on the paper. */
function isBlank({ data }: Raster): boolean {
  for (let at = 0; at < data.length; at += 1) if ((data[at] ?? 255) <= 235) return false;
  return true;
}
