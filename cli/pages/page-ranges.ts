import { InvalidArgumentError } from "commander";

/** Pages from 1, both ends included; an open end is `Infinity`. */
interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** Pages as they were asked for. */
export interface PageSelection {
  /** In the words of the service: `5:10,16`. */
  readonly expression: string;
  /** Compares two pages by where they were asked for first. */
  readonly order: (one: number, other: number) => number;
}

/** Reads `16`, `5-10` or `5:10`, `5-`, `:10`, several with commas. What the service would refuse is refused here. */
export function pageSelection(text: string): PageSelection {
  const ranges = text.split(",").map((part) => rangeOf(part.trim()));
  const placeOf = (page: number): number => ranges.findIndex(({ from, to }) => page >= from && page <= to);
  return {
    expression: ranges.map(expressionOf).join(","),
    order: (one, other) => placeOf(one) - placeOf(other) || one - other,
  };
}

function rangeOf(text: string): PageRange {
  const match = /^(?:(\d+)|(\d*)\s*:\s*(\d*)|(\d+)\s*-\s*(\d*))$/.exec(text);
  const [, single, start, end, first = start, last = end] = match ?? [];
  if (match === null || (single === undefined && !first && !last)) throw wrong();
  const from = Number(single ?? (first || 1));
  const to = single === undefined && !last ? Number.POSITIVE_INFINITY : Number(single ?? last);
  if (from < 1 || to < from) throw wrong();
  return { from, to };
}

function expressionOf({ from, to }: PageRange): string {
  if (from === to) return String(from);
  return `${from}:${to === Number.POSITIVE_INFINITY ? "" : to}`;
}

function wrong(): InvalidArgumentError {
  return new InvalidArgumentError(
    'Write pages like 16, 5-10, 5-, :10 or several with commas: "5-10,16". The first page is 1.',
  );
}
