import type { Domain } from "../../domain/domain.ts";
import type { DatasetItem } from "../../domain/items/item.ts";
import { pageTexts } from "../../domain/items/page-texts.ts";
import type { WeighedWord } from "../../domain/ports/worker.ts";
import { type FoundWords, findWords, weightOf } from "../terms/find-words.ts";
import { type Stretch, TracedText } from "../terms/traced-text.ts";

/** A stretch of a page's text layer around the words of a question. */
export interface Snippet {
  /** The text on one line, with "…" where the page continues. */
  readonly text: string;
  /** The words of the question in `text`, in order; in UTF-16 units. Empty if the page has none of them. */
  readonly marks: readonly { readonly start: number; readonly length: number }[];
}

/** Maximum length of a snippet: two lines of a result list. */
const maxCharacters = 240;
/**
 * Maximum characters of a page to read, some ten times a full page. The rest is ignored, since the API process does this work.
 */
const maxCharactersRead = 30_000;
/** Maximum number of places with words of the question to compare. */
const maxPlaces = 1000;
/** Maximum distance to the space at which a snippet begins or ends. */
const maxWordCharacters = 24;

/** Returns the snippets of the pages that have a text layer. */
export async function snippetsOf(
  domain: Domain,
  pages: readonly DatasetItem[],
  words: readonly WeighedWord[],
): Promise<ReadonlyMap<DatasetItem, Snippet>> {
  const snippets = new Map<DatasetItem, Snippet>();
  for await (const [page, text] of pageTexts(domain, pages)) {
    const snippet = snippetIn(text, words);
    if (snippet !== undefined) snippets.set(page, snippet);
  }
  return snippets;
}

/** Returns the part of a text with most of the words, or its beginning if it has none of them; undefined if the text is empty. */
export function snippetIn(text: string, words: readonly WeighedWord[]): Snippet | undefined {
  const line = text.slice(0, maxCharactersRead).replace(/\s+/g, " ").trim();
  if (line === "") return undefined;
  const found = findWords(new TracedText(line), words).slice(0, maxPlaces);
  const { from, to } = wholeWords(line, bestWindow(line.length, found));
  const before = from > 0 ? "…" : "";
  const marks = found
    .filter((some) => some.from >= from && some.to <= to)
    .map((some) => ({ start: some.from - from + before.length, length: some.to - some.from }));
  return { text: before + line.slice(from, to) + (to < line.length ? "…" : ""), marks };
}

/** Returns the first window whose different words have the largest total weight. The words are in its middle. */
function bestWindow(length: number, found: readonly FoundWords[]): Stretch {
  let best: { readonly from: number; readonly to: number; readonly weight: number } = { from: 0, to: 0, weight: 0 };
  for (const [index, { from }] of found.entries()) {
    const inside = found.slice(index, index + maxCharacters).filter(({ to }) => to - from <= maxCharacters);
    const weight = weightOf(new Set(inside.flatMap(({ words }) => [...words])));
    if (weight > best.weight) best = { from, to: inside.at(-1)?.to ?? from, weight };
  }
  const middle = (best.from + best.to) / 2;
  const from = Math.max(0, Math.min(Math.round(middle - maxCharacters / 2), length - maxCharacters));
  return { from, to: Math.min(length, from + maxCharacters) };
}

/** Cuts partial words off the ends of the window. In scripts without spaces, only partial characters are cut off. */
function wholeWords(line: string, { from, to }: Stretch): Stretch {
  const space = from === 0 ? -1 : line.slice(from, from + maxWordCharacters).indexOf(" ");
  const last = to === line.length ? -1 : line.slice(to - maxWordCharacters, to).lastIndexOf(" ");
  const start = from + space + 1;
  const end = last < 0 ? to : to - maxWordCharacters + last;
  return {
    from: isLowSurrogate(line.charCodeAt(start)) ? start + 1 : start,
    to: isLowSurrogate(line.charCodeAt(end)) ? end - 1 : end,
  };
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
