import { invalid } from "../domain/errors.ts";
import { openKindSpace } from "./kind/space.ts";
import type { Manifest, PictureSpace, TextSpace } from "./manifest.ts";
import { openModelSpace } from "./model/space.ts";
import type { PackFiles } from "./model/tower.ts";
import type { OpenSpace } from "./pack.ts";
import { decodePicture } from "./picture/decode.ts";
import { pageSignature, querySignatures } from "./picture/signature.ts";
import { openTextEncoder } from "./text/encoder.ts";

/** Opens a space of a pack; `files` are the pack's files that spaces share. */
export async function openSpace(
  packDir: string,
  space: Manifest["spaces"][number],
  files: PackFiles,
): Promise<OpenSpace> {
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
