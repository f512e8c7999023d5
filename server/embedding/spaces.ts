import { invalid } from "../domain/errors.ts";
import type { QueryInSpace } from "../domain/ports/worker.ts";
import type { Manifest, PictureSpace, TextSpace } from "./manifest.ts";
import type { LoadedPack, PageInSpace } from "./pack.ts";
import { decodePicture } from "./picture/decode.ts";
import { pageSignatures, querySignature } from "./picture/signature.ts";
import { openTextEncoder } from "./text/encoder.ts";

/** One space of a loaded pack: what pages and queries become in it, or nothing where it has no answer. */
interface OpenSpace {
  page(page: Parameters<LoadedPack["embedPage"]>[0]): Promise<PageInSpace[]>;
  query(query: Parameters<LoadedPack["embedQuery"]>[0]): Promise<QueryInSpace[]>;
  close(): Promise<void>;
}

export async function openSpace(packDir: string, space: Manifest["spaces"][number]): Promise<OpenSpace> {
  switch (space.kind) {
    case "lexical":
      return lexicalSpace(space.name);
    case "text":
      return textSpace(packDir, space);
    case "picture":
      return pictureSpace(space);
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
      return vector === undefined ? [] : [{ space, kind: "dense", vector }];
    },
    close: () => encoder.close(),
  };
}

function pictureSpace({ name: space, longSide }: PictureSpace): OpenSpace {
  return {
    async page({ picture }) {
      const vectors = picture === undefined ? [] : pageSignatures(picture);
      return vectors.length === 0 ? [] : [{ space, kind: "dense", vectors }];
    },
    async query({ text = "", image }) {
      if (image === undefined) return [];
      const vector = querySignature(await decodePicture(image, longSide));
      if (vector !== undefined) return [{ space, kind: "dense", vector }];
      if (text.trim() !== "") return [];
      throw invalid("the query picture is blank; send one with something on it, or add words");
    },
    close: async () => {},
  };
}
