import { between } from "../measuring/random.ts";

const vocabularySize = 20_000;
/** The most frequent words carry no meaning, so questions leave them out. */
const stopRanks = 50;
/** Words in questions are neither in every document nor in only one. */
const askedRanks = 1_000;

/** Text whose words are as frequent as in a real language: the n-th most frequent word 1/n as often as the first (Zipf). */
export interface Words {
  text(count: number): string;
  /** Returns different words of medium frequency. */
  question(count: number): readonly string[];
}

export function createWords(random: () => number): Words {
  const vocabulary = makeVocabulary(random);
  const cumulative = new Float64Array(vocabularySize);
  let sum = 0;
  for (let rank = 0; rank < vocabularySize; rank++) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  const draw = (): string => vocabulary[rankAt(cumulative, random() * sum)] ?? "";
  return {
    text: (count) => Array.from({ length: count }, draw).join(" "),
    question(count) {
      const words = new Set<string>();
      while (words.size < count) words.add(vocabulary[between(random, stopRanks, askedRanks)] ?? "");
      return [...words];
    },
  };
}

/** Returns the first index whose sum reaches the value. */
function rankAt(cumulative: Float64Array, value: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function makeVocabulary(random: () => number): readonly string[] {
  const letter = (letters: string): string => letters.charAt(between(random, 0, letters.length - 1));
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = Array.from({ length: between(random, 2, 4) }, () => letter("bdfgklmnprstvz") + letter("aeiou"));
    words.add(syllables.join("") + letter("lmnrt"));
  }
  return [...words];
}
