import type { DenseSpace, PageHit, PageKey } from "../../domain/ports/vectors.ts";
import { decodeFirst, firstBytes, scoresOf } from "./codes.ts";
import { parseRowId } from "./filters.ts";

/** What the row of a page has in the column of codes. */
export interface PageCodes {
  readonly all: Uint8Array;
  /** Begins with the first vector, and is not written to again: hits look at it later on. */
  readonly first: Uint8Array;
}

export interface CodedPage {
  readonly page: PageKey;
  readonly codes: PageCodes;
}

/** Of codes that nothing else is written over. */
export const lastingCodes = (all: Uint8Array): PageCodes => ({ all, first: all });

/** Of codes whose memory is to be used again. */
export const reusedCodes = (all: Uint8Array, dimensions: number): PageCodes => ({
  all,
  first: all.slice(0, firstBytes(dimensions)),
});

export const bytesOfCodes = ({ all, first }: PageCodes): number => all.length + (first === all ? 0 : first.length);

/** Of codes by row id. */
export const codedPages = (read: ReadonlyMap<string, PageCodes>): readonly CodedPage[] =>
  Array.from(read, ([id, codes]) => ({ page: parseRowId(id), codes })).filter(
    (each): each is CodedPage => each.page !== undefined,
  );

/** The pages with the scores of their nearest vectors, in no order. */
export function comparePages(
  { dimensions, givesVectors }: Pick<DenseSpace, "dimensions" | "givesVectors">,
  question: Float32Array,
  pages: readonly CodedPage[],
): readonly PageHit[] {
  const scores = scoresOf(
    question,
    pages.map(({ codes }) => codes.all),
  );
  const hits: PageHit[] = [];
  for (const [at, { page, codes }] of pages.entries()) {
    const score = scores[at] ?? Number.NaN;
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (!Number.isFinite(score)) continue;
    hits.push(givesVectors === true ? new HitWithVector(page, score, codes.first, dimensions) : { ...page, score });
  }
  return hits;
}

/** Most vectors are not asked for. To give each hit a getter of its own takes as long as comparing its page. */
class HitWithVector implements PageHit {
  readonly datasetId: PageKey["datasetId"];
  readonly page: number;
  readonly generation: string;
  readonly score: number;
  readonly #first: Uint8Array;
  readonly #dimensions: number;

  constructor({ datasetId, page, generation }: PageKey, score: number, first: Uint8Array, dimensions: number) {
    this.datasetId = datasetId;
    this.page = page;
    this.generation = generation;
    this.score = score;
    this.#first = first;
    this.#dimensions = dimensions;
  }

  get vector(): Float32Array {
    return decodeFirst(this.#first, this.#dimensions);
  }
}
