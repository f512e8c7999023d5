import type { DatasetId } from "../../domain/ids.ts";
import type { PageStore } from "../../domain/ports/pages.ts";
import type { PageHit, WordConditions } from "../../domain/ports/vectors.ts";

/**
 * Returns the hits whose text layer meets the conditions, for packs without words in the index; see `VectorStore.meeting`. A page
 * without a text layer has no excluded words and no phrases.
 */
export async function meetingByText(
  pages: Pick<PageStore, "words">,
  conditions: WordConditions,
  hits: readonly PageHit[],
): Promise<readonly PageHit[]> {
  const numbers = new Map<DatasetId, number[]>();
  for (const { datasetId, page } of hits) numbers.set(datasetId, [...(numbers.get(datasetId) ?? []), page]);
  const texts = new Map<DatasetId, ReadonlyMap<number, string>>();
  for (const [id, some] of numbers) texts.set(id, await pages.words(id, some));
  const isMet = readConditions(conditions);
  return hits.filter(({ datasetId, page }) => isMet(texts.get(datasetId)?.get(page) ?? ""));
}

function readConditions({ phrases, without, withoutPhrases }: WordConditions): (text: string) => boolean {
  const wanted = phrases.map(asWritten);
  const unwantedPhrases = withoutPhrases.map(asWritten).filter((phrase) => hasWords.test(phrase));
  const unwanted = new Set(without.flatMap((word) => wordsOf(word).map(singular)));
  const unspaced = without.map(fold).filter((word) => scriptsWithoutSpaces.test(word));
  return (text) => {
    const words = wordsOf(text);
    if (words.some((word) => unwanted.has(singular(word)))) return false;
    const whole = spaced(words);
    return (
      wanted.every((phrase) => whole.includes(phrase)) &&
      ![...unwantedPhrases, ...unspaced].some((phrase) => whole.includes(phrase))
    );
  };
}

/** Writes a phrase as in `spaced` text: bounded by spaces, except in scripts without spaces. */
function asWritten(phrase: string): string {
  const words = spaced(wordsOf(phrase));
  return words.replace(begins, "$1").replace(ends, "$1");
}

const scriptsWithoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const begins = new RegExp(`^ (${scriptsWithoutSpaces.source})`, "u");
const ends = new RegExp(`(${scriptsWithoutSpaces.source}) $`, "u");
const hasWords = /[\p{L}\p{N}]/u;

/** Removes case and accents. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
    .toLowerCase();

const wordsOf = (text: string): readonly string[] =>
  fold(text)
    .replace(/(?<=\p{L})['’]s\b/gu, "")
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const spaced = (words: readonly string[]): string => ` ${words.join(" ")} `;

/** Returns the common form of singular and plural, in English and languages with the same plurals. */
const singular = (word: string): string => (word.length > 3 ? word.replace(/(?<=..)(?:es|s)$/u, "") : word);
