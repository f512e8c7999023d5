import { renderToString } from "ink";
import { createElement } from "react";
import { expect, test } from "vitest";
import { stringWidth } from "../output/printable.ts";
import { type Frame, ProgressFrame } from "./progress-screen.ts";
import type { ProgressRow } from "./progress-row.ts";

function screen(parts: Partial<Frame>, columns: number, lines = 40): string {
  const frame: Frame = { batch: 1, ended: [], rows: [], totals: [], coloured: true, ...parts };
  return renderToString(createElement(ProgressFrame, { frame, columns, lines }), { columns });
}

const active: ProgressRow = {
  id: "3",
  label: "three.pdf",
  state: "active",
  note: "reading pages",
  fraction: 0.5,
  amount: "10 of 20 pages",
};

test("active rows have bars, ended ones their outcome, the rest is counted", () => {
  const text = screen(
    {
      ended: [
        { id: "1", label: "one.pdf", state: "done", note: "ds_1, 20 pages" },
        { id: "2", label: "\u001btwo.pdf", state: "failed", note: "no pages" },
        { id: "5", label: "five.pdf", state: "skipped", note: "already there (ds_5)" },
      ],
      rows: [active, { id: "4", label: "four.pdf", state: "waiting", note: "waiting" }],
      totals: ["1 done, 1 failed of 4"],
    },
    80,
  );
  expect(text.split("\n").map((line) => line.replace(/ {2,}/g, "  "))).toEqual([
    "✓ one.pdf  ds_1, 20 pages",
    "✗ \uFFFDtwo.pdf  no pages",
    "= five.pdf  already there (ds_5)",
    "› three.pdf  ██████░░░░░░  50% reading pages 10 of 20 pages",
    "  1 more",
    "1 done, 1 failed of 4",
  ]);
});

test.each([200, 100, 80, 72, 60, 40])("at %i columns the time left is whole, also beside large amounts", (columns) => {
  const rows = [
    {
      ...active,
      label: "a name that is longer than most.pdf",
      note: "embedding pages",
      amount: "1158 of 9999 pages",
      left: "59 min 59 s left",
    },
    { ...active, id: "4", note: "waiting for the server", left: undefined },
  ];
  const [first = ""] = screen({ rows }, columns).split("\n");
  expect(first).toContain("59 min 59 s left");
  expect(first).toContain("50%");
  expect(stringWidth(first)).toBeLessThanOrEqual(columns);
});

test("totals show as many pieces as fit", () => {
  const totals = ["12 done of 200", "34.5 MB of 120 MB sent", "5.6 MB/s", "15 s left"];
  expect(screen({ totals }, 120)).toBe("12 done of 200 · 34.5 MB of 120 MB sent · 5.6 MB/s · 15 s left");
  expect(screen({ totals }, 60)).toBe("12 done of 200 · 34.5 MB of 120 MB sent · 5.6 MB/s");
  expect(screen({ totals }, 20)).toBe("12 done of 200");
});

test("no colour means none", () => {
  const frame = { rows: [active], totals: ["1 done"], ended: [{ ...active, id: "1", state: "done" } as const] };
  expect(screen({ ...frame, coloured: false }, 100)).not.toContain("\u001b");
});

test("a small screen shows fewer rows, and none is wider than it", () => {
  const rows = Array.from({ length: 30 }, (_, index) => ({
    ...active,
    id: String(index),
    label: "長い名前の文書.pdf",
  }));
  const lines = screen({ rows, totals: ["3 done of 200"] }, 60, 15).split("\n");
  expect(lines).toHaveLength(11);
  expect(lines.at(-2)).toBe("  21 more");
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
  expect(screen({ rows }, 120, 40).split("\n")).toHaveLength(13);
});
