import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { showPlainProgress } from "./progress.ts";

test("says what is new, not every step", () => {
  const sink = new PassThrough();
  const view = showPlainProgress(sink);
  const row = { id: "1", label: "a.pdf", state: "active", note: "reading pages" } as const;
  view.update([{ ...row, state: "waiting" }]);
  for (let page = 0; page <= 100; page += 1)
    view.update([{ ...row, fraction: page / 100, amount: `${page} of 100 pages` }]);
  view.update([{ ...row, state: "partly", note: "100 pages, 1 failed" }]);
  view.update([{ ...row, state: "partly", note: "100 pages, 1 failed" }]);
  expect(String(sink.read())).toBe(
    [
      "› a.pdf: reading pages (0 %, 0 of 100 pages)",
      "› a.pdf: reading pages (25 %, 25 of 100 pages)",
      "› a.pdf: reading pages (50 %, 50 of 100 pages)",
      "› a.pdf: reading pages (75 %, 75 of 100 pages)",
      "› a.pdf: reading pages (100 %, 100 of 100 pages)",
      "! a.pdf: 100 pages, 1 failed",
      "",
    ].join("\n"),
  );
});

test("of many rows only how they ended", () => {
  const sink = new PassThrough();
  const view = showPlainProgress(sink, { brief: true });
  const row = { id: "1", label: "a.pdf", state: "active", note: "reading pages" } as const;
  view.update([row]);
  view.update([{ ...row, state: "done", note: "3 pages" }]);
  view.update([{ ...row, id: "2" }]);
  view.update([{ ...row, id: "2", state: "skipped", note: "already there (ds_1)" }]);
  expect(String(sink.read())).toBe("✓ a.pdf: 3 pages\n= a.pdf: already there (ds_1)\n");
});
