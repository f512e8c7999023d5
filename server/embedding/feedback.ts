import type { FusionSettings } from "./manifest.ts";

type Settings = NonNullable<FusionSettings[number]["feedback"]>;

/** Pages further down do not come among the first by being like them. */
const likenedPages = 100;
/** What so many pages have in common is what the question is about anyhow; fewer say less about that. */
const pagesInCommon = 50;

interface Found {
  readonly key: string;
  readonly evidence: number;
  readonly vector: Float32Array;
  /** 1 / the vector's length. */
  readonly inverse: number;
}

/**
 * What each page gains by being like the pages that have the most evidence: `weight` times the cosine with the mean of the
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
  vectors: ReadonlyMap<string, Float32Array>,
): Map<string, number> {
  const found = bestOf(evidence, vectors);
  const [first] = found;
  if (first === undefined) return new Map();

  const common = commonOf(found, first.vector.length);
  const target = new Float32Array(common.length);
  for (const page of found.slice(0, pages)) {
    addOwn(target, page, common, Math.exp(sharpness * (page.evidence - first.evidence)));
  }
  const likeness = likenessTo(target, found, common);
  const least = likeness.values().reduce((lowest, one) => Math.min(lowest, one), Infinity);
  return new Map(Array.from(evidence.keys(), (key) => [key, weight * (likeness.get(key) ?? least)]));
}

function bestOf(evidence: ReadonlyMap<string, number>, vectors: ReadonlyMap<string, Float32Array>): Found[] {
  return [...evidence]
    .toSorted(([oneKey, one], [otherKey, other]) => other - one || (oneKey < otherKey ? -1 : 1))
    .flatMap(([key, value]) => {
      const vector = vectors.get(key);
      return vector === undefined ? [] : [{ key, evidence: value, vector }];
    })
    .slice(0, likenedPages)
    .map((page) => ({ ...page, inverse: inverse(lengthOf(page.vector)) }));
}

/** The mean of all directions. */
function commonOf(found: readonly Found[], dimensions: number): Float32Array {
  const common = new Float32Array(dimensions);
  const share = 1 / Math.max(found.length, pagesInCommon);
  for (const page of found) add(common, page.vector, share * page.inverse);
  return common;
}

/** Adds `share` times the direction that a page has beside what is common to all. */
function addOwn(target: Float32Array, page: Found, common: Float32Array, share: number): void {
  const own = common.map((value) => -value);
  add(own, page.vector, page.inverse);
  add(target, own, share * inverse(lengthOf(own)));
}

/**
 * Cosines of (direction of each vector − common) with the target, by products with the vectors as they are: the
 * differences need not be written down.
 */
function likenessTo(target: Float32Array, found: readonly Found[], common: Float32Array): Map<string, number> {
  const commonAlongTarget = product(common, target);
  const commonSquares = product(common, common);
  const targetInverse = inverse(lengthOf(target));
  return new Map(
    found.map((page) => {
      const alongTarget = page.inverse * product(page.vector, target) - commonAlongTarget;
      const alongCommon = page.inverse * product(page.vector, common);
      const squares = Math.sign(page.inverse) - 2 * alongCommon + commonSquares;
      return [page.key, alongTarget * targetInverse * inverse(Math.sqrt(Math.max(0, squares)))];
    }),
  );
}

function add(sum: Float32Array, vector: Float32Array, times: number): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + times * (vector[index] ?? 0);
}

const lengthOf = (vector: Float32Array): number => Math.sqrt(product(vector, vector));

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** 1 / length; 0 of what has no direction: a vector of zeros, or of rounding. */
const inverse = (length: number): number => (length < 1e-6 ? 0 : 1 / length);
