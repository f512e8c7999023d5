import type { FeedbackSettings } from "../../domain/ports/pack-ranking.ts";
import { addSum, addVector, lengthOfSum, lengthOfVector, productOfSums, products } from "./vector-sums.ts";

/** Pages further down do not come among the first by being like them. */
const likenedPages = 60;
/**
 * Among so many candidates likeness counts in full, among fewer in proportion: in a workspace of three documents the best
 * page is often irrelevant, and the pages most like it are the other pages of its document.
 */
const pagesToTrust = 50;

export interface Likened {
  /** By place. */
  readonly evidence: Float64Array;
  /** All places, those with the most evidence first. */
  readonly order: readonly number[];
  /** Undefined: the page has none. */
  readonly vectorOf: (place: number) => Float32Array | undefined;
}

interface Found {
  readonly place: number;
  readonly vector: Float32Array;
  /** 1 / the vector's length. */
  readonly inverse: number;
}

/**
 * What each page gains by being like the pages that have the most evidence, by place: up to `weight`, by the cosine with the
 * mean of the first `pages`, each counted by e to the power of `sharpness` times its evidence. Pages on the same matter say it in
 * words of their own, which the question need not have hit (pseudo-relevance feedback; Rocchio, "Relevance Feedback in
 * Information Retrieval", 1971).
 *
 * What all candidates have in common is taken off first: they are like each other since they were found by one question. A
 * page without a vector gains as little as the one that is least alike. Undefined: no page has a vector.
 */
export function gainsOfLikeness(
  { pages, sharpness, weight }: FeedbackSettings,
  likened: Likened,
): Float64Array | undefined {
  const { found, common } = bestOf(likened);
  const [first] = found;
  if (first === undefined) return undefined;

  const { evidence } = likened;
  const target = new Float64Array(common.length);
  for (const page of found.slice(0, pages)) {
    const behind = (evidence[page.place] ?? 0) - (evidence[first.place] ?? 0);
    addOwn(target, page, common, Math.exp(sharpness * behind));
  }
  const likeness = likenessTo(target, found, common);
  const trust = Math.min(1, found.length / pagesToTrust);
  const gain = (cosine: number): number => weight * (1 - trust * (1 - cosine));
  const gains = new Float64Array(evidence.length).fill(gain(Math.min(...likeness)));
  for (const [index, { place }] of found.entries()) gains[place] = gain(likeness[index] ?? 0);
  return gains;
}

/** The first pages that have a vector, and the mean of all directions. */
function bestOf({ order, vectorOf }: Likened): { readonly found: readonly Found[]; readonly common: Float64Array } {
  const found: Found[] = [];
  let sum = new Float64Array();
  for (const place of order) {
    if (found.length === likenedPages) break;
    const vector = vectorOf(place);
    if (vector === undefined) continue;
    if (found.length === 0) sum = new Float64Array(vector.length);
    const page = { place, vector, inverse: inverse(lengthOfVector(vector)) };
    found.push(page);
    // At once, while the vector is in the processor's nearest cache.
    addVector(sum, vector, page.inverse);
  }
  return { found, common: sum.map((value) => value / found.length) };
}

/** Adds `share` times the direction that a page has beside what is common to all. */
function addOwn(target: Float64Array, page: Found, common: Float64Array, share: number): void {
  const own = new Float64Array(common.length);
  addSum(own, common, -1);
  addVector(own, page.vector, page.inverse);
  addSum(target, own, share * inverse(lengthOfSum(own)));
}

/**
 * Cosines of (direction of each vector − common) with the target, by products with the vectors as they are: the
 * differences need not be stored.
 */
function likenessTo(target: Float64Array, found: readonly Found[], common: Float64Array): readonly number[] {
  const commonAlongTarget = productOfSums(common, target);
  const commonSquares = productOfSums(common, common);
  const targetInverse = inverse(lengthOfSum(target));
  return found.map((page) => {
    const [withTarget, withCommon] = products(page.vector, target, common);
    const alongTarget = page.inverse * withTarget - commonAlongTarget;
    const alongCommon = page.inverse * withCommon;
    const squares = Math.sign(page.inverse) - 2 * alongCommon + commonSquares;
    return alongTarget * targetInverse * inverse(Math.sqrt(Math.max(0, squares)));
  });
}

/** 1 / length; 0 of what has no direction: a vector of zeros, or of rounding. */
const inverse = (length: number): number => (length < 1e-6 ? 0 : 1 / length);
