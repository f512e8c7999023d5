import type { Occurrences } from "./occurrences.ts";
import type { Question } from "./question.ts";

/** A question whose words have weights. */
export interface WeighedQuestion extends Question {
  /** Of each word: how much it tells pages apart (inverse document frequency, natural logarithm). */
  readonly idf: readonly number[];
}

/**
 * Features of a page's words. Sums of idf are divided by that of all words (or pairs) of the question, so that they lie
 * between 0 and 1 for questions of any length.
 */
export interface PageFeatures {
  /** Neighbours in the question that are neighbours in the page, in that order; with one word between them, half. */
  readonly pairs: number;
  /** Different words of the question in the best 40 neighbouring words of the page. */
  readonly window: number;
  /** Words of the question among the first 15 of the page. */
  readonly heading: number;
  /** Numbers, years and codes of the question that the page has; 0 without any in the question. */
  readonly numbers: number;
  /** ln(1 + words of the page). */
  readonly length: number;
}

/** Of the best window, in words of the page. */
const windowLength = 40;
/** Words that may be the page's heading. */
const headingLength = 15;

export const pageFeatures = (occurrences: Occurrences, question: WeighedQuestion): PageFeatures => ({
  pairs: shareOfPairs(occurrences, question),
  window: bestWindow(occurrences, question) / Math.max(totalOf(question), tiny),
  heading: shareOfHeading(occurrences, question),
  numbers: shareOfNumbers(occurrences, question),
  length: Math.log1p(occurrences.length),
});

const tiny = 1e-9;

const totalOf = ({ idf }: WeighedQuestion): number => idf.reduce((sum, weight) => sum + weight, 0);

function shareOfHeading({ positions, words }: Occurrences, question: WeighedQuestion): number {
  const { idf } = question;
  let sum = 0;
  for (let index = 0; index < words.length && (positions[index] ?? 0) < headingLength; index++) {
    const word = words[index] ?? 0;
    if (words.indexOf(word) === index) sum += idf[word] ?? 0;
  }
  return sum / Math.max(totalOf(question), tiny);
}

function shareOfNumbers({ words: found }: Occurrences, { words, idf }: WeighedQuestion): number {
  let [sum, total] = [0, 0];
  for (let place = 0; place < words.length; place++) {
    if (words[place]?.isNumber !== true) continue;
    total += idf[place] ?? 0;
    if (found.includes(place)) sum += idf[place] ?? 0;
  }
  return sum / Math.max(total, tiny);
}

function shareOfPairs(occurrences: Occurrences, { pairs, idf }: WeighedQuestion): number {
  let [sum, total] = [0, 0];
  for (const [left, right] of pairs) {
    const weight = (idf[left] ?? 0) + (idf[right] ?? 0);
    total += weight;
    sum += weight * nearness(occurrences, left, right);
  }
  return sum / Math.max(total, tiny);
}

function nearness({ positions, words }: Occurrences, left: number, right: number): number {
  let best = 0;
  for (let index = 0; index < words.length; index++) {
    if (words[index] !== left) continue;
    const at = positions[index] ?? 0;
    for (let next = index + 1; next < words.length && (positions[next] ?? 0) - at <= 2; next++) {
      if (words[next] !== right) continue;
      const distance = (positions[next] ?? 0) - at;
      if (distance === 1) return 1;
      best = 0.5;
    }
  }
  return best;
}

/** The largest sum of idf of different words in a window that slides over the page. */
function bestWindow({ positions, words }: Occurrences, { idf }: WeighedQuestion): number {
  const inside = new Uint16Array(idf.length);
  let [first, sum, best] = [0, 0, 0];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0;
    if (inside[word] === 0) sum += idf[word] ?? 0;
    inside[word] = (inside[word] ?? 0) + 1;
    for (; (positions[index] ?? 0) - (positions[first] ?? 0) >= windowLength; first++) {
      const gone = words[first] ?? 0;
      inside[gone] = (inside[gone] ?? 0) - 1;
      if (inside[gone] === 0) sum -= idf[gone] ?? 0;
    }
    best = Math.max(best, sum);
  }
  return best;
}
