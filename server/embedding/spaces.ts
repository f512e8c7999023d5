import { invalid } from "../domain/errors.ts";
import type { KindSpace, Manifest, PictureSpace, TextSpace } from "./manifest.ts";
import { openModelSpace } from "./model/space.ts";
import type { PackFiles } from "./model/tower.ts";
import type { OpenSpace } from "./pack.ts";
import { decodePicture } from "./picture/decode.ts";
import { pageSignature, querySignatures } from "./picture/signature.ts";
import { openTextEncoder } from "./text/encoder.ts";
import { join } from "node:path";
import type { Raster } from "./raster.ts";
import { openClassifier } from "./kind/classifier.ts";
import { featuresOf } from "./kind/features.ts";
import { encodeKinds, encodeWanted, kindsNamed } from "./kind/kinds.ts";

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
