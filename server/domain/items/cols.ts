import { invalid } from "../errors.ts";
import type { PageRange } from "../ports/pages.ts";

/** Larger than the page count of any document; the end of an open range. */
export const lastPage = 2 ** 31 - 1;
const maxExpressions = 1000;

/**
 * Reads page expressions: `16`, `5:10` (both ends included), `5:`, `:10`, separated by commas, spaces allowed.
 * Undefined for all pages if there are none. Throws `invalid`, naming the wrong expression.
 */
export function parseCols(cols: readonly string[]): readonly PageRange[] | undefined {
  const expressions = cols.flatMap((text) => text.split(",")).map((text) => text.trim());
  if (expressions.every((text) => text === "")) return undefined;
  if (expressions.length > maxExpressions) {
    throw invalid(`cols may have at most ${maxExpressions} page expressions, these are ${expressions.length}`);
  }
  return expressions.map(parseRange);
}

function parseRange(text: string): PageRange {
  const match = /^(?:(\d+)|(\d*)\s*:\s*(\d*))$/.exec(text);
  const [, single, first, last] = match ?? [];
  if (match === null || (single === undefined && !first && !last)) {
    throw wrong(text, 'use page numbers ("16") and ranges ("5:10", "5:", ":10")');
  }
  const from = Number(single ?? (first || 1));
  const to = Number(single ?? (last || lastPage));
  if (from < 1 || to < 1) throw wrong(text, "page numbers start at 1");
  if (from > to) throw wrong(text, "the range is reversed");
  return { from: Math.min(from, lastPage), to: Math.min(to, lastPage) };
}

function wrong(text: string, reason: string): Error {
  return invalid(`cols has ${JSON.stringify(text.slice(0, 40))}: ${reason}`);
}
