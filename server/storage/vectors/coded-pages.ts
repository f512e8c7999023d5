import type { DenseSpace, PageHit, PageKey } from "../../domain/ports/vectors.ts";
import { decodeFirst, scoresOf } from "./codes.ts";
import { parsePageId } from "./filters.ts";

export interface CodedPage {
  readonly page: PageKey;
  readonly codes: Uint8Array;
}

/** Reads codes by row id. */
export const codedPages = (read: ReadonlyMap<string, Uint8Array>): readonly CodedPage[] =>
  Array.from(read, ([id, codes]) => ({ page: parsePageId(id), codes })).filter(
    (each): each is CodedPage => each.page !== undefined,
  );

/** The pages with the scores of their nearest vectors, in no particular order. */
export function comparePages(
  { dimensions, givesVectors }: Pick<DenseSpace, "dimensions" | "givesVectors">,
  question: Float32Array,
  pages: readonly CodedPage[],
): readonly PageHit[] {
  const scores = scoresOf(
    question,
    pages.map(({ codes }) => codes),
  );
  const hits: PageHit[] = [];
  for (const [at, { page, codes }] of pages.entries()) {
    const score = scores[at] ?? Number.NaN;
    // The cosine of a vector of zeros is NaN; such a row matches nothing.
    if (!Number.isFinite(score)) continue;
    hits.push(givesVectors === true ? new HitWithVector(page, score, codes, dimensions) : { ...page, score });
  }
  return hits;
}

/**
 * A getter on the prototype: most vectors are never read, and defining a getter for each hit takes as long as comparing
 * its page.
 */
class HitWithVector implements PageHit {
  readonly datasetId: PageKey["datasetId"];
  readonly page: number;
  readonly generation: string;
  readonly score: number;
  readonly #codes: Uint8Array;
  readonly #dimensions: number;

  constructor({ datasetId, page, generation }: PageKey, score: number, codes: Uint8Array, dimensions: number) {
    this.datasetId = datasetId;
    this.page = page;
    this.generation = generation;
    this.score = score;
    this.#codes = codes;
    this.#dimensions = dimensions;
  }

  get vector(): Float32Array {
    return decodeFirst(this.#codes, this.#dimensions);
  }
}
