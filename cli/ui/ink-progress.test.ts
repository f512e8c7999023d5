import { renderToString } from "ink";
import { expect, test } from "vitest";
import { progressLines } from "./ink-progress.ts";
import type { ProgressRow } from "./progress-row.ts";

test("active rows have bars, finished ones their outcome, the rest is counted", () => {
  const rows: ProgressRow[] = [
    { id: "1", label: "one.pdf", state: "done", note: "20 pages" },
    { id: "2", label: "\u001btwo.pdf", state: "failed", note: "no pages" },
    { id: "3", label: "three.pdf", state: "active", note: "reading pages", fraction: 0.5, amount: "10 of 20 pages" },
    { id: "4", label: "four.pdf", state: "waiting", note: "waiting" },
  ];
  const text = renderToString(progressLines(rows), { columns: 100 });
  expect(text).toContain("✓ one.pdf                      20 pages");
  expect(text).toContain("✗ \uFFFDtwo.pdf                     no pages");
  expect(text).toContain(
    `› three.pdf                    ${"█".repeat(8)}${"░".repeat(8)}  50% reading pages 10 of 20 pages`,
  );
  expect(text).toContain("1 more");
});
