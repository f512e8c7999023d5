import type { DailyUsage } from "@drs/client";
import { expect, test } from "vitest";
import { historyLines } from "./usage.ts";

const day = (name: string, storedBytes: number, documents: number): DailyUsage => ({
  day: name,
  storedBytes,
  documents,
  pages: 10 * documents,
  organisationStoredBytes: storedBytes,
});

test("days of which nothing is known are told from empty ones", () => {
  const history = [day("2026-10-30", 0, 0), day("2026-11-01", 1_000_000, 1), day("2026-11-02", 2_000_000, 2)];
  expect(historyLines(history, 5)).toEqual([
    "",
    "2026-10-29 to 2026-11-02 (UTC), known from 2026-10-30 on",
    expect.stringMatching(/^ {2}stored {6}·▁·[▄▅]█ {2}0 .*to /),
    expect.stringMatching(/^ {2}documents {3}·▁·[▄▅]█ {2}0 to 2$/),
    expect.stringMatching(/^ {2}pages {7}·▁·[▄▅]█ {2}0 pages to 20 pages$/),
  ]);
  expect(historyLines(history.slice(1), 2)[1]).toBe("2026-11-01 to 2026-11-02 (UTC)");
  expect(historyLines([], 3)).toEqual([]);
});
