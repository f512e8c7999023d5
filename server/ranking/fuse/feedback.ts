import type { FeedbackSettings } from "../../domain/ports/pack-ranking.ts";

/** Number of pages that can gain by similarity. Pages further down would not reach the first ranks by it. */
const likenedPages = 60;
/**
 * Number of candidates from which similarity counts in full; with fewer it counts proportionally less. In a workspace of three
 * documents the best page is often irrelevant, and the pages most similar to it are the other pages of its document.
 */
const pagesToTrust = 50;

interface FeedbackPages {
  /** The evidence by place. */
  readonly evidence: Float64Array;
  /** All places by evidence, highest first. */
  readonly order: readonly number[];
  /** Returns the vector of a page; undefined if it has none. */
  readonly vectorOf: (place: number) => Float32Array | undefined;
}

interface PageVector {
  readonly place: number;
  readonly vector: Float32Array;
  /** 1 / the length of the vector. */
  readonly inverse: number;
}

/**
 * Returns the gain of each page by its similarity to the pages with the most evidence, by place. It is up to `weight`, according
 * to the cosine with the mean of the first `pages`, each weighted by e to the power of `sharpness` times its evidence. Pages on
 * the right subject may use other words than the question (pseudo-relevance feedback; Rocchio, "Relevance Feedback in Information
 * Retrieval", 1971).
 *
 * The mean of all candidates is subtracted first: they resemble each other because the same question found them. A page without a
 * vector gains as little as the least similar page. Returns undefined if no page has a vector.
 */
export function gainsOfLikeness(
  { pages, sharpness, weight }: FeedbackSettings,
  likened: FeedbackPages,
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

/** Returns the first pages that have a vector, and the mean of their directions. */
function bestOf({ order, vectorOf }: FeedbackPages): {
  readonly found: readonly PageVector[];
  readonly common: Float64Array;
} {
  const found: PageVector[] = [];
  let sum = new Float64Array();
  for (const place of order) {
    if (found.length === likenedPages) break;
    const vector = vectorOf(place);
    if (vector === undefined) continue;
    if (found.length === 0) sum = new Float64Array(vector.length);
    const page = { place, vector, inverse: inverse(lengthOfVector(vector)) };
    found.push(page);
    // Adds the vector right away, while it is in the processor's nearest cache.
    addVector(sum, vector, page.inverse);
  }
  return { found, common: sum.map((value) => value / found.length) };
}

/** Adds `share` times the direction of a page after the common mean is subtracted. */
function addOwn(target: Float64Array, page: PageVector, common: Float64Array, share: number): void {
  const own = new Float64Array(common.length);
  addSum(own, common, -1);
  addVector(own, page.vector, page.inverse);
  addSum(target, own, share * inverse(lengthOfSum(own)));
}

/**
 * Returns the cosines of (direction of each vector − common) with the target. They are computed from products with the original
 * vectors, so that the differences need not be stored.
 */
function likenessTo(target: Float64Array, found: readonly PageVector[], common: Float64Array): readonly number[] {
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

/** 1 / length; 0 for a vector without a direction: zeros or rounding errors. */
const inverse = (length: number): number => (length < 1e-6 ? 0 : 1 / length);

/*
 * Sums of products of vectors. They have 64 bits, since the difference between pages may be a small difference of large numbers.
 * Each loop uses several sums, since an addition must wait for the previous one to finish. A loop over arrays of both types would
 * be compiled to code that allocates an object per number, so there is a function for each type. Values past the end of an array
 * count as zero.
 */

/** Adds `times` times the vector. */
function addVector(sum: Float64Array, vector: Float32Array, times: number): void {
  for (let at = 0; at < sum.length; at += 4) {
    sum[at] = (sum[at] ?? 0) + times * (vector[at] ?? 0);
    sum[at + 1] = (sum[at + 1] ?? 0) + times * (vector[at + 1] ?? 0);
    sum[at + 2] = (sum[at + 2] ?? 0) + times * (vector[at + 2] ?? 0);
    sum[at + 3] = (sum[at + 3] ?? 0) + times * (vector[at + 3] ?? 0);
  }
}

/** Adds `times` times another sum. */
function addSum(sum: Float64Array, other: Float64Array, times: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + times * (other[at] ?? 0);
}

function lengthOfVector(vector: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 4) {
    first += (vector[at] ?? 0) * (vector[at] ?? 0);
    second += (vector[at + 1] ?? 0) * (vector[at + 1] ?? 0);
    third += (vector[at + 2] ?? 0) * (vector[at + 2] ?? 0);
    fourth += (vector[at + 3] ?? 0) * (vector[at + 3] ?? 0);
  }
  return Math.sqrt(first + second + (third + fourth));
}

/** Returns the products of a vector with two sums. It reads and converts the vector's numbers only once for both. */
function products(
  vector: Float32Array,
  one: Float64Array,
  other: Float64Array,
): readonly [withOne: number, withOther: number] {
  let [evenOne, oddOne, evenOther, oddOther] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 2) {
    const even = vector[at] ?? 0;
    const odd = vector[at + 1] ?? 0;
    evenOne += even * (one[at] ?? 0);
    oddOne += odd * (one[at + 1] ?? 0);
    evenOther += even * (other[at] ?? 0);
    oddOther += odd * (other[at + 1] ?? 0);
  }
  return [evenOne + oddOne, evenOther + oddOther];
}

function productOfSums(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const lengthOfSum = (sum: Float64Array): number => Math.sqrt(productOfSums(sum, sum));
