import type { FusionSettings } from "./manifest.ts";

type Settings = NonNullable<FusionSettings[number]["feedback"]>;

/** Pages further down do not come among the first by being like them. */
const likenedPages = 60;
/**
 * Among so many candidates likeness counts in full, among fewer in proportion: in a workspace of three documents the best
 * page is often irrelevant, and the pages most like it are the other pages of its document.
 */
const pagesToTrust = 50;

/** By the page's key; undefined: it has none. */
export type Vectors = Pick<ReadonlyMap<string, Float32Array>, "get">;

interface Found {
  readonly key: string;
  readonly evidence: number;
  readonly vector: Float32Array;
  /** 1 / the vector's length. */
  readonly inverse: number;
}

/**
 * What each page gains by being like the pages that have the most evidence: up to `weight`, by the cosine with the mean of the
 * first `pages`, each counted by e to the power of `sharpness` times its evidence. Pages on the same matter say it in
 * words of their own, which the question need not have hit (pseudo-relevance feedback; Rocchio, "Relevance Feedback in
 * Information Retrieval", 1971).
 *
 * What all candidates have in common is taken off first: they are like each other since they were found by one question. A
 * page without a vector gains as little as the one that is least alike.
 */
export function gainsOfLikeness(
  { pages, sharpness, weight }: Settings,
  evidence: ReadonlyMap<string, number>,
  vectors: Vectors,
): Map<string, number> {
  const found = bestOf(evidence, vectors);
  const [first] = found;
  if (first === undefined) return new Map();

  const common = commonOf(found, first.vector.length);
  const target = new Float64Array(common.length);
  for (const page of found.slice(0, pages)) {
    addOwn(target, page, common, Math.exp(sharpness * (page.evidence - first.evidence)));
  }
  const likeness = likenessTo(target, found, common);
  const least = likeness.values().reduce((lowest, one) => Math.min(lowest, one), Infinity);
  const trust = Math.min(1, found.length / pagesToTrust);
  const gain = (cosine: number): number => weight * (1 - trust * (1 - cosine));
  return new Map(Array.from(evidence.keys(), (key) => [key, gain(likeness.get(key) ?? least)]));
}

function bestOf(evidence: ReadonlyMap<string, number>, vectors: Vectors): Found[] {
  const pages = [...evidence].toSorted(
    ([oneKey, one], [otherKey, other]) => other - one || (oneKey < otherKey ? -1 : 1),
  );
  const found: Found[] = [];
  for (const [key, value] of pages) {
    if (found.length === likenedPages) break;
    const vector = vectors.get(key);
    if (vector !== undefined)
      found.push({ key, evidence: value, vector, inverse: inverse(Math.sqrt(squaresOf(vector))) });
  }
  return found;
}

/** The mean of all directions. */
function commonOf(found: readonly Found[], dimensions: number): Float64Array {
  const common = new Float64Array(dimensions);
  const share = 1 / found.length;
  for (const page of found) add(common, page.vector, share * page.inverse);
  return common;
}

/** Adds `share` times the direction that a page has beside what is common to all. */
function addOwn(target: Float64Array, page: Found, common: Float64Array, share: number): void {
  const own = common.map((value) => -value);
  add(own, page.vector, page.inverse);
  addSum(target, own, share * inverse(lengthOfSum(own)));
}

/**
 * Cosines of (direction of each vector − common) with the target, by products with the vectors as they are: the
 * differences need not be stored.
 */
function likenessTo(target: Float64Array, found: readonly Found[], common: Float64Array): Map<string, number> {
  const commonAlongTarget = productOfSums(common, target);
  const commonSquares = productOfSums(common, common);
  const targetInverse = inverse(lengthOfSum(target));
  return new Map(
    found.map((page) => {
      const [withTarget, withCommon] = products(page.vector, target, common);
      const alongTarget = page.inverse * withTarget - commonAlongTarget;
      const alongCommon = page.inverse * withCommon;
      const squares = Math.sign(page.inverse) - 2 * alongCommon + commonSquares;
      return [page.key, alongTarget * targetInverse * inverse(Math.sqrt(Math.max(0, squares)))];
    }),
  );
}

/*
 * Sums are kept in 64 bits: what pages have of their own may be a small difference of large numbers. A loop that meets arrays of
 * both kinds is compiled to one that makes an object of every number, so that there is one for each.
 */

function add(sum: Float64Array, vector: Float32Array, times: number): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + times * (vector[index] ?? 0);
}

function addSum(sum: Float64Array, vector: Float64Array, times: number): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + times * (vector[index] ?? 0);
}

function squaresOf(vector: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += (vector[index] ?? 0) * (vector[index] ?? 0);
  return sum;
}

/** With both at once: the vector is read and its numbers are converted once. */
function products(vector: Float32Array, one: Float64Array, other: Float64Array): readonly [number, number] {
  let [withOne, withOther] = [0, 0];
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index] ?? 0;
    withOne += value * (one[index] ?? 0);
    withOther += value * (other[index] ?? 0);
  }
  return [withOne, withOther];
}

function productOfSums(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

const lengthOfSum = (sum: Float64Array): number => Math.sqrt(productOfSums(sum, sum));

/** 1 / length; 0 of what has no direction: a vector of zeros, or of rounding. */
const inverse = (length: number): number => (length < 1e-6 ? 0 : 1 / length);
