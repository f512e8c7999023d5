import type { DailyUsage } from "@drs/client";
import { count } from "../output/amounts.ts";
import { sparkline } from "../output/sparkline.ts";
import { roundedSize } from "../plans/size.ts";

const dayMs = 86_400_000;

/**
 * Returns what was stored on each of the last days, one line per value and one character per day; `·` if nothing is
 * known.
 */
export function historyLines(history: readonly DailyUsage[], days: number): string[] {
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) return [];
  const today = Date.parse(last.day);
  const shown = Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
  const byDay = new Map(history.map((day) => [day.day, day]));
  const line = (name: string, valueOf: (day: DailyUsage) => number, say: (value: number) => string): string => {
    const values = shown.map((day) => {
      const known = byDay.get(day);
      return known && valueOf(known);
    });
    return `${name.padEnd(14)}${sparkline(values)}  ${say(valueOf(first))} to ${say(valueOf(last))}`;
  };
  return [
    "",
    `${shown[0]} to ${last.day} (UTC)${first.day === shown[0] ? "" : `, known from ${first.day} on`}`,
    line("  stored", ({ storedBytes }) => storedBytes, roundedSize),
    line("  documents", ({ documents }) => documents, String),
    line(
      "  pages",
      ({ pages }) => pages,
      (pages) => count(pages, "page"),
    ),
  ];
}
