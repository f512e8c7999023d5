import type { Domain } from "../../domain/domain.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Highlight, DatasetItem } from "../../domain/items/item.ts";
import type { WeighedWord } from "../../domain/ports/worker.ts";
import { weighWords } from "./explain-words.ts";
import type { RankingWithWords } from "./explain-pages.ts";

interface HighlightRequest {
  readonly words: readonly WeighedWord[];
  readonly found: readonly DatasetItem[];
  readonly signal: AbortSignal;
}

/** Number of pages that are processed at the same time: there are two threads for work that a caller waits for. */
const atOnce = 2;

/** Finds the words of the question in the text layers of the found pages. */
export async function highlightsIn(
  domain: Domain,
  request: HighlightRequest,
): Promise<ReadonlyMap<DatasetItem, readonly Highlight[]>> {
  const highlights = new Map<DatasetItem, readonly Highlight[]>();
  const { words, found, signal } = request;
  if (words.length === 0) return highlights;
  const queue = found.values();
  const work = async (): Promise<void> => {
    for (const item of queue) highlights.set(item, await highlightsOn(domain, item, words, signal));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return highlights;
}

/** Returns no highlights for a page that cannot be read, or not in time: the caller asked for the ranking first. */
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

/**
 * Returns the words of the question, weighted by the pages that a second stage has read, or equally if there is no second stage.
 */
export function wordsToFind(rankings: readonly RankingWithWords[]): readonly WeighedWord[] {
  const { words } =
    rankings.find(({ gathered }) => gathered.reading !== undefined) ?? rankings.find((each) => each.words) ?? {};
  return words === undefined ? [] : weighWords(words);
}
