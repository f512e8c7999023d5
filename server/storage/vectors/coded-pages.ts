import type { DenseSpace, PageHit, PageKey } from "../../domain/ports/vectors.ts";
import { decodeFirst, firstBytes, scoresOf } from "./codes.ts";
import { parseRowId } from "./filters.ts";

/** A page with what its row has in the column of codes. */
export interface CodedPage {
  readonly page: PageKey;
  readonly codes: Uint8Array;
}

/** Of codes by row id. */
export const codedPages = (read: ReadonlyMap<string, Uint8Array>): readonly CodedPage[] =>
  Array.from(read, ([id, codes]) => ({ page: parseRowId(id), codes })).filter(
    (each): each is CodedPage => each.page !== undefined,
  );

/** The pages with the scores of their nearest vectors, in no order. What they have of the codes is copied. */
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
  const firsts = givesVectors === true ? copyFirsts(dimensions, pages) : undefined;
  for (const [at, { page }] of pages.entries()) {
    const score = scores[at] ?? Number.NaN;
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (!Number.isFinite(score)) continue;
    hits.push(firsts === undefined ? { ...page, score } : new HitWithVector(page, score, firsts, at));
  }
  return hits;
}

/** First vectors in codes, one after the other. */
interface Firsts {
  readonly dimensions: number;
  readonly codes: Uint8Array;
}

/** In one piece: to make each a copy of its own takes several times as long. */
function copyFirsts(dimensions: number, pages: readonly CodedPage[]): Firsts {
  const size = firstBytes(dimensions);
  const firsts = new Uint8Array(pages.length * size);
  for (const [at, { codes }] of pages.entries()) firsts.set(codes.subarray(0, size), at * size);
  return { dimensions, codes: firsts };
}

/** Most vectors are not asked for. To give each hit a getter of its own takes as long as comparing its page. */
class HitWithVector implements PageHit {
  readonly datasetId: PageKey["datasetId"];
  readonly page: number;
  readonly generation: string;
  readonly score: number;
  readonly #firsts: Firsts;
  readonly #at: number;

  constructor({ datasetId, page, generation }: PageKey, score: number, firsts: Firsts, at: number) {
    this.datasetId = datasetId;
    this.page = page;
    this.generation = generation;
    this.score = score;
    this.#firsts = firsts;
    this.#at = at;
  }

  get vector(): Float32Array {
    const { codes, dimensions } = this.#firsts;
    const size = firstBytes(dimensions);
    return decodeFirst(codes.subarray(this.#at * size, (this.#at + 1) * size), dimensions);
  }
}
