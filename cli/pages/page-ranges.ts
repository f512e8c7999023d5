import { type CliError, usageError } from "../failures.ts";

/** A range of pages from 1, both ends included; an open end is `Infinity`. */
interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** The pages that a user asked for. */
export interface PageSelection {
  /** The pages in the syntax of the service: `5:10,16`. */
  readonly expression: string;
  /** Compares two pages by the position at which they were first asked for. */
  readonly order: (one: number, other: number) => number;
  /** Returns the parts of the selection, as written, that lie beyond the last page. */
  readonly beyond: (pageCount: number) => readonly string[];
}

/** Reads `16`, `5-10` or `5:10`, `5-`, `:10`, or several with commas. Rejects whatever the service would reject. */
export function pageSelection(text: string): PageSelection {
  const parts = text.split(",").map((part) => part.trim());
  const ranges = parts.map(rangeOf);
  const placeOf = (page: number): number => ranges.findIndex(({ from, to }) => page >= from && page <= to);
  return {
    expression: ranges.map(expressionOf).join(","),
    order: (one, other) => placeOf(one) - placeOf(other) || one - other,
    beyond: (pageCount) => parts.filter((_, index) => (ranges[index]?.from ?? 0) > pageCount),
  };
}

function rangeOf(text: string): PageRange {
  const match = /^(?:(\d+)|(\d*)\s*:\s*(\d*)|(\d+)\s*-\s*(\d*))$/.exec(text);
  const [, single, start, end, first = start, last = end] = match ?? [];
  if (match === null || (single === undefined && !first && !last)) throw wrong(text);
  const from = Number(single ?? (first || 1));
  const to = single === undefined && !last ? Number.POSITIVE_INFINITY : Number(single ?? last);
  if (from < 1 || to < from) throw wrong(text);
  return { from, to };
}

function expressionOf({ from, to }: PageRange): string {
  if (from === to) return String(from);
  return `${from}:${to === Number.POSITIVE_INFINITY ? "" : to}`;
}

function wrong(text: string): CliError {
  return usageError(
    `"${text}" is neither a page nor a range of pages`,
    "write pages like 16, 5-10, 5-, :10 or several with commas: 5-10,16; the first page is 1",
  );
}
