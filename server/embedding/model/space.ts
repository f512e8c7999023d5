import { invalid } from "../../domain/errors.ts";
import type { SearchQuery } from "../../domain/ports/worker.ts";
import type { EmbeddingWork, OpenSpace, PageToEmbed } from "../pack.ts";
import { decodePicture } from "../picture/decode.ts";
import { condense } from "./condense.ts";
import { isBlank } from "./fit.ts";
import type { ModelSpace } from "./settings.ts";
import { openTower, type OpenTower, type PackFiles } from "./tower.ts";

/** Opens a space whose vectors come from the pack's graphs. Graphs are large, so each is loaded on first use. */
export function openModelSpace(files: PackFiles, settings: ModelSpace): OpenSpace {
  const { name: space, dimensions, scoring, towers, page, query } = settings;
  const opened = new Map<string, Promise<OpenTower>>();

  function towerOf(use: { readonly tower: string } | undefined): Promise<OpenTower> | undefined {
    const found = use && towers[use.tower];
    if (use === undefined || found === undefined) return undefined;
    const tower = opened.get(use.tower) ?? openTower(files, found, dimensions);
    opened.set(use.tower, tower);
    return tower;
  }

  async function vectorsOfWords(words: string): Promise<readonly Float32Array[]> {
    const tower = await towerOf(page.words);
    if (tower === undefined || words.trim() === "") return [];
    const parts = page.words?.parts === undefined ? [] : await tower.parts(words, page.words.parts);
    // With a vector per token, the parts together have all the vectors that the whole page would have.
    if (scoring === "max-sim" && parts.length > 0) return parts;
    return [...(await tower.text(words)), ...parts];
  }

  async function vectorsOfPicture(picture: PageToEmbed["picture"]): Promise<readonly Float32Array[]> {
    if (page.picture === undefined || picture === undefined || isBlank(picture)) return [];
    return (await towerOf(page.picture))?.picture(picture) ?? [];
  }

  async function vectorsOfImage(image: SearchQuery["image"], isAlone: boolean): Promise<readonly Float32Array[]> {
    const wanted = query.image && towers[query.image.tower]?.image;
    if (image === undefined || wanted === undefined) return [];
    const picture = await decodePicture(image, { longSide: wanted.drawn, channels: 3 });
    if (!isBlank(picture)) return (await towerOf(query.image))?.picture(picture) ?? [];
    if (!isAlone) return [];
    throw invalid("the query picture is blank; send one with something on it, or add words");
  }

  return {
    async prepare(work) {
      await Promise.all(usesOf(settings, work).flatMap((use) => towerOf(use) ?? []));
    },
    async page({ words, picture }) {
      const vectors = [...(await vectorsOfPicture(picture)), ...(await vectorsOfWords(words))];
      if (vectors.length === 0) return [];
      return [{ space, kind: "dense", vectors, ...(scoring === "max-sim" && { pooled: condense(vectors) }) }];
    },
    async query({ text = "", image }) {
      const words = text.trim() === "" ? [] : await ((await towerOf(query.text))?.text(text) ?? []);
      const both = [...words, ...(await vectorsOfImage(image, text.trim() === ""))];
      // The space needs a single vector: the one halfway between words and picture if there are both.
      const vectors = scoring === "max-sim" ? both : condense(both, 1);
      return vectors.length === 0 ? [] : [{ space, kind: "dense", vectors }];
    },
    close: () => files.close(),
  };
}

function usesOf({ page, query }: ModelSpace, work: EmbeddingWork): readonly ({ readonly tower: string } | undefined)[] {
  if (work === "page") return [page.words, page.picture];
  return [work === "text" ? query.text : query.image];
}
