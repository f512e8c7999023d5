import { describe, expect, test } from "vitest";
import { emptyRecord, type Held, type Sending, type SyncRecord } from "../state/record.ts";
import { asVersion, withLanded, withVersions } from "./landed.ts";
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
  seen: () => undefined,
  unfinishedJob: () => undefined,
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

describe("a new version that was sent without an answer", () => {
  const ready: Held = { datasetId: "ds", sha256: "old", status: "ready", vectorized: false };
  const version: Sending = { ...sent("1"), datasetId: "ds" };
  const open: SyncRecord = { ...record("a.pdf", version), held: ready };
  const seen = (sha256: string, jobId?: string): Stock => ({
    ...stock(),
    seen: () => ({ sha256, fileName: "a.pdf" }),
    unfinishedJob: () => jobId,
  });

  test("is what the dataset has once it has been read", () => {
    expect(withVersions([open], seen("A"), 2_000)).toEqual([
      { ...open, sendings: [], held: { ...ready, sha256: "A", vectorized: true, isMisnamed: undefined } },
    ]);
  });

  test("is being read while a job is at work that is not known", () => {
    const reading = asVersion(ready, { sha256: "A", jobId: "job", vectorize: true });
    expect(withVersions([open], seen("old", "job"), 2_000)).toEqual([{ ...open, sendings: [], held: reading }]);
    expect(reading).toMatchObject({ status: "working", before: { sha256: "old", status: "ready", vectorized: false } });
    const known = { ...open, held: { ...ready, jobId: "job" } };
    expect(withVersions([known], seen("old", "job"), 2_000)).toEqual([]);
  });

  test("is found under the path that has the dataset now, with the name that it was sent by", () => {
    const moved = { ...record("b.pdf"), held: ready };
    const [from, to] = withVersions([record("a.pdf", version), moved], seen("A"), 2_000);
    expect(from).toMatchObject({ path: "a.pdf", sendings: [] });
    expect(to).toMatchObject({ path: "b.pdf", held: { sha256: "A", isMisnamed: true } });
  });

  test("stays open for a day where nothing is seen of it", () => {
    expect(withVersions([open], seen("old"), 2_000)).toEqual([]);
    expect(withVersions([open], seen("old"), 1_000 + 25 * 3_600_000)).toEqual([{ ...open, sendings: [] }]);
  });
});
