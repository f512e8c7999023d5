import { expect, test } from "vitest";
import { emptyRecord, type Held, type Sending, type SyncRecord } from "../state/record.ts";
import { withLanded } from "./landed.ts";
import type { Stock } from "./stock.ts";

const sent = (idempotencyKey: string): Sending => ({
  sha256: "A",
  fileName: "a.pdf",
  vectorize: true,
  idempotencyKey,
  since: 1_000,
});
const record = (path: string, ...sendings: Sending[]): SyncRecord => ({ ...emptyRecord(path), sendings });
const stock = (...ids: string[]): Stock => ({
  isStored: () => true,
  find: () => ids.map((datasetId): Held => ({ datasetId, sha256: "A", status: "ready", vectorized: false })),
});

test("what has arrived is a dataset of its file", () => {
  expect(withLanded([record("a.pdf", sent("1"))], stock("ds"), 2_000)).toMatchObject([
    { path: "a.pdf", sendings: [], replaced: [{ datasetId: "ds", vectorized: true }] },
  ]);
});

test("what has not stays open for a day", () => {
  const open = [record("a.pdf", sent("1"))];
  expect(withLanded(open, stock(), 2_000)).toEqual([]);
  expect(withLanded(open, stock(), 1_000 + 25 * 3_600_000)).toMatchObject([{ path: "a.pdf", sendings: [] }]);
});

test("of equal ones each gets its own, once all have arrived", () => {
  const open = [record("x/a.pdf", sent("1")), record("y/a.pdf", sent("2"))];
  expect(withLanded(open, stock("one"), 2_000)).toEqual([]);
  const landed = withLanded(open, stock("one", "two"), 2_000);
  expect(landed.map(({ path, replaced }) => [path, replaced.map(({ datasetId }) => datasetId)])).toEqual([
    ["x/a.pdf", ["one"]],
    ["y/a.pdf", ["two"]],
  ]);
});
