import type { Domain } from "../../domain/domain.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/highlight.ts";
import type { DatasetItem } from "../../domain/items/item.ts";
import type { WeighedWord } from "../../domain/ports/weighed-word.ts";
import { weighWords } from "./explain-words.ts";
import type { CountedRanking } from "./explain-pages.ts";

interface Asked {
  readonly words: readonly WeighedWord[];
  readonly found: readonly DatasetItem[];
  readonly signal: AbortSignal;
}

/** Pages that are looked at together: there are two threads for what a caller waits for. */
const atOnce = 2;

/** Where each of the found pages has the words of the question that tell pages apart, in their text layers. */
export async function highlightsIn(
  domain: Domain,
  asked: Asked,
): Promise<ReadonlyMap<DatasetItem, readonly Highlight[]>> {
  const highlights = new Map<DatasetItem, readonly Highlight[]>();
  const { words } = asked;
  if (words.length === 0) return highlights;
  const queue = asked.found.values();
  const work = async (): Promise<void> => {
    for (const item of queue) highlights.set(item, await highlightsOn(domain, item, words, asked.signal));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return highlights;
}

/** A page that cannot be read, or not in time, has none: the ranking is what was asked for first. */
async function highlightsOn(
  { worker }: Domain,
  { datasetId, page }: DatasetItem,
  words: readonly WeighedWord[],
  signal: AbortSignal,
): Promise<readonly Highlight[]> {
  try {
    return await worker.highlight({ datasetId, page, words }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DomainError) return [];
    throw cause;
  }
}

/** The words of the question as they tell the pages apart that a second stage has read, or all alike where there is none. */
export function wordsToFind(rankings: readonly CountedRanking[]): readonly WeighedWord[] {
  const { words } =
    rankings.find(({ gathered }) => gathered.reading !== undefined) ?? rankings.find((each) => each.words) ?? {};
  return words === undefined ? [] : weighWords(words);
}
