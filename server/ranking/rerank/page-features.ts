import type { Occurrences, WeighedQuestion } from "./occurrences.ts";

/**
 * Features of the words of pages, in the order of the pages. Sums of idf are divided by the sum over all words (or pairs) of the
 * question, so that they are between 0 and 1 for questions of any length.
 */
interface PageFeatures {
  /**
   * Neighbouring words of the question that are neighbours on the page in the same order; a pair counts half if one word is
   * between them.
   */
  readonly pairs: Float64Array;
  /** Different words of the question in the best window of 40 words on the page. */
  readonly window: Float64Array;
  /** Words of the question among the first 15 of the page. */
  readonly heading: Float64Array;
  /** Numbers, years and codes of the question that the page has; 0 if the question has none. */
  readonly numbers: Float64Array;
  /** ln(1 + words of the page). */
  readonly length: Float64Array;
}

/** Length of the window, in words of the page. */
const windowLength = 40;
/** Number of words at the beginning that may be the page's heading. */
const headingLength = 15;

export function pageFeatures(occurrences: Occurrences, question: WeighedQuestion): PageFeatures {
  const { words, idf } = question;
  const ofNumbers = idf.map((weight, word) => (words[word]?.isNumber === true ? weight : 0));
  return {
    pairs: sharesOfPairs(occurrences, question),
    window: bestWindows(occurrences, idf),
    heading: sharesOfWords(occurrences, idf, headingLength),
    numbers: sharesOfWords(occurrences, ofNumbers, Infinity),
    length: Float64Array.from(occurrences.lengths, (length) => Math.log1p(length)),
  };
}

/** The minimum divisor of sums, because the question may have nothing to find. */
const tiny = 1e-9;

const totalOf = (weights: readonly number[]): number => Math.max(tiny, sumOf(weights));
const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

/**
 * Returns the weight of the question's words among the first `most` words of the page, as a share of the weight of all its words.
 */
function sharesOfWords(
  { lengths, starts, positions, words }: Occurrences,
  weights: readonly number[],
  most: number,
): Float64Array {
  const total = totalOf(weights);
  const shares = new Float64Array(lengths.length);
  /** For each word, the number of the last page that has it, from 1. */
  const lastWith = new Uint32Array(weights.length);
  for (let page = 0; page < shares.length; page++) {
    const end = starts[page + 1] ?? 0;
    let sum = 0;
    for (let at = starts[page] ?? 0; at < end && (positions[at] ?? 0) < most; at++) {
      const word = words[at] ?? 0;
      if (lastWith[word] === page + 1) continue;
      lastWith[word] = page + 1;
      sum += weights[word] ?? 0;
    }
    shares[page] = sum / total;
  }
  return shares;
}

function sharesOfPairs({ lengths, starts, positions, words }: Occurrences, question: WeighedQuestion): Float64Array {
  const { pairs, idf } = question;
  const weights = pairs.map(([left, right]) => (idf[left] ?? 0) + (idf[right] ?? 0));
  const cells = pairs.map(([left, right]) => left * idf.length + right);
  const total = totalOf(weights);
  const shares = new Float64Array(lengths.length);
  /**
   * For each left and right word, twice the number of the last page with both near each other, plus 2 if they are side by side,
   * otherwise plus 1.
   */
  const lastNear = new Int32Array(idf.length * idf.length);
  for (let page = 0; page < shares.length; page++) {
    const end = starts[page + 1] ?? 0;
    for (let at = starts[page] ?? 0; at < end; at++) {
      const position = positions[at] ?? 0;
      const left = (words[at] ?? 0) * idf.length;
      for (let next = at + 1; next < end && (positions[next] ?? 0) - position <= 2; next++) {
        const pair = left + (words[next] ?? 0);
        const near = 2 * page + ((positions[next] ?? 0) - position === 1 ? 2 : 1);
        if (near > (lastNear[pair] ?? 0)) lastNear[pair] = near;
      }
    }
    let sum = 0;
    for (let pair = 0; pair < cells.length; pair++) {
      const nearness = ((lastNear[cells[pair] ?? 0] ?? 0) - 2 * page) / 2;
      if (nearness > 0) sum += nearness * (weights[pair] ?? 0);
    }
    shares[page] = sum / total;
  }
  return shares;
}

/**
 * Returns the largest sum of idf of different words in a window that slides over the page, as a share of the sum of all words.
 */
function bestWindows({ lengths, starts, positions, words }: Occurrences, idf: readonly number[]): Float64Array {
  const total = totalOf(idf);
  const shares = new Float64Array(lengths.length);
  const inside = new Uint32Array(idf.length);
  for (let page = 0; page < shares.length; page++) {
    const end = starts[page + 1] ?? 0;
    inside.fill(0);
    let [first, sum, best] = [starts[page] ?? 0, 0, 0];
    for (let at = first; at < end; at++) {
      const word = words[at] ?? 0;
      if (inside[word] === 0) sum += idf[word] ?? 0;
      inside[word] = (inside[word] ?? 0) + 1;
      for (; (positions[at] ?? 0) - (positions[first] ?? 0) >= windowLength; first++) {
        const gone = words[first] ?? 0;
        inside[gone] = (inside[gone] ?? 0) - 1;
        if (inside[gone] === 0) sum -= idf[gone] ?? 0;
      }
      if (sum > best) best = sum;
    }
    shares[page] = best / total;
  }
  return shares;
}
