import { expect, test } from "vitest";
import { noSpan, type Span, type SpanFacts } from "../../../domain/ports/tracing.ts";
import { createPageSpans, maxShown, maxShownFailures } from "./page-spans.ts";

function stageOf(): { stage: Span; added: (SpanFacts & { startedAt: number })[]; noted: SpanFacts[] } {
  const added: (SpanFacts & { startedAt: number })[] = [];
  const noted: SpanFacts[] = [];
  const stage: Span = {
    ...noSpan,
    add: (_name, facts, startedAt) => void added.push({ ...facts, startedAt }),
    note: (facts) => void noted.push(facts),
  };
  return { stage, added, noted };
}

test("the first pages have spans, then those that fail, up to a bound; the stage tells of all", () => {
  const { stage, added, noted } = stageOf();
  const spans = createPageSpans(stage, "read page");
  const pages = Array.from({ length: 10_000 }, (_, index) => index + 1);
  const fails = (page: number): boolean => page % 4 === 0;
  for (const page of pages) {
    spans.start([page]);
    spans.end(page, fails(page) ? "heron.pdf is torn" : null);
  }
  spans.close();
  expect(added.slice(0, maxShown).map(({ page }) => page)).toEqual(pages.slice(0, maxShown));
  const rest = added.slice(maxShown);
  expect(rest).toHaveLength(maxShownFailures);
  expect(rest.every(({ page, reason }) => fails(page ?? 0) && reason === "other")).toBe(true);
  expect(noted).toEqual([{ pages: 10_000, failedPages: 2_500, unshownPages: 10_000 - maxShown - maxShownFailures }]);
});

test("a page of a batch begins when the one before it has ended", () => {
  const { stage, added } = stageOf();
  const spans = createPageSpans(stage, "embed page");
  spans.start([1, 2]);
  const begun = performance.now();
  while (performance.now() === begun);
  spans.start([3]);
  spans.end(1, null);
  const ended = performance.now();
  while (performance.now() === ended);
  spans.end(2, null);
  spans.end(3, null);
  const [first, second, third] = added.map(({ startedAt }) => startedAt);
  expect(first).toBeLessThanOrEqual(begun);
  expect(third).toBeGreaterThan(begun);
  expect(second).toBeGreaterThanOrEqual(third ?? 0);
  expect(second).toBeLessThanOrEqual(ended);
});

test("a page whose start was not announced begins at the end of the one before", () => {
  const { stage, added } = stageOf();
  const before = performance.now();
  const spans = createPageSpans(stage, "read page");
  spans.end(1, null);
  spans.end(2, "it takes too long");
  const [first, second] = added.map(({ startedAt }) => startedAt);
  expect(first).toBeGreaterThanOrEqual(before);
  expect(second).toBeGreaterThanOrEqual(first ?? 0);
});
