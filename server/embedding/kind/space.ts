import { join } from "node:path";
import type { KindSpace } from "../manifest.ts";
import type { OpenSpace } from "../pack.ts";
import type { Raster } from "../raster.ts";
import { openClassifier } from "./classifier.ts";
import { featuresOf } from "./features.ts";
import { encodeKinds, encodeWanted } from "./kinds.ts";
import { kindsNamed } from "./kinds-in-query.ts";

/** Opens the space of page types (charts, tables, photos …), for queries that name them. Throws `PackError`. */
export async function openKindSpace(packDir: string, { name: space, weights }: KindSpace): Promise<OpenSpace> {
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
