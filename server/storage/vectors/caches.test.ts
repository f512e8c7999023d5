import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { maintainTable } from "./maintain.ts";
import { putLexical } from "./put.ts";
import { elsewhere, openTables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const vocabulary = Array.from({ length: 2_000 }, (_, index) => `word${index.toString(36)}`);

/** What the caches hold while one document after another is written and the table maintained in between, bytes. */
async function cachedAfterEach(bounds: { indices: number; metadata: number }, rounds: number): Promise<number[]> {
  const url = await mkdtemp(join(tmpdir(), "drs-caches-"));
  const tables = await openTables(url, elsewhere, { caches: bounds });
  const workspaceId = newWorkspaceId();
  const held: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const datasetId = newDatasetId();
    const rows = Array.from({ length: 250 }, (_, at) => ({
      workspaceId,
      datasetId,
      generation: "",
      page: at + 1,
      words: Array.from({ length: 150 }, (_, word) => vocabulary[(at * 13 + word * word * 7) % 2_000]).join(" "),
    }));
    await putLexical(tables, space, rows);
    for (const table of await tables.all()) await maintainTable(table, { retentionMs: 0 });
    held.push(tables.cachedBytes());
  }
  tables.close();
  await rm(url, { recursive: true });
  return held;
}

test(
  "what LanceDB keeps of the tables that are written stays within the bounds of its caches",
  { timeout: 120_000 },
  async () => {
    const bounds = { indices: 256 * 1024, metadata: 256 * 1024 };
    const unbounded = await cachedAfterEach({ indices: 2 ** 30, metadata: 2 ** 30 }, 7);
    const bounded = await cachedAfterEach(bounds, 7);
    // It grows with the rounds, so that a bound is needed …
    expect(unbounded.at(-1)).toBeGreaterThan(3 * (unbounded[1] ?? 0));
    expect(unbounded.at(-1)).toBeGreaterThan(1.5 * (bounds.indices + bounds.metadata));
    // … and it is the bounded caches that are used.
    expect(bounded.at(-1)).toBeGreaterThan(0);
    expect(Math.max(...bounded)).toBeLessThanOrEqual(1.25 * (bounds.indices + bounds.metadata));
  },
);
