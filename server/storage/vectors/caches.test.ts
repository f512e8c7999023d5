import { expect, test } from "vitest";
import { openLanceTables } from "../../../test/stores/testing/lance-table.ts";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";

const pack = { id: "p@1", spaces: [{ kind: "lexical", pack: "p@1", name: "words" }] } as const;
const vocabulary = Array.from({ length: 2_000 }, (_, index) => `word${index.toString(36)}`);

/** Bytes in the caches while one document after another is written, with maintenance of the table in between. */
async function cachedAfterEach(bounds: { indices: number; metadata: number }, rounds: number): Promise<number[]> {
  const { tables, make, put, dispose } = await openLanceTables(pack, bounds);
  const table = await make();
  const held: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
    const pages = Array.from({ length: 250 }, (_, at) => {
      const said = Array.from({ length: 150 }, (__, word) => vocabulary[(at * 13 + word * word * 7) % 2_000]);
      return { page: at + 1, spaces: [{ space: "words", kind: "lexical" as const, words: said.join(" ") }] };
    });
    await put(table, index, pages);
    await table.optimize({ cleanupOlderThan: new Date() });
    held.push(tables.cachedBytes());
  }
  await dispose();
  return held;
}

test(
  "what LanceDB keeps of the tables that are written stays within the bounds of its caches",
  { timeout: 120_000 },
  async () => {
    const bounds = { indices: 256 * 1024, metadata: 256 * 1024 };
    const unbounded = await cachedAfterEach({ indices: 2 ** 30, metadata: 2 ** 30 }, 7);
    const bounded = await cachedAfterEach(bounds, 7);
    // Without a bound, the caches grow with the rounds …
    expect(unbounded.at(-1)).toBeGreaterThan(3 * (unbounded[1] ?? 0));
    expect(unbounded.at(-1)).toBeGreaterThan(1.5 * (bounds.indices + bounds.metadata));
    // … and the bounded caches are the ones in use.
    expect(bounded.at(-1)).toBeGreaterThan(0);
    expect(Math.max(...bounded)).toBeLessThanOrEqual(1.25 * (bounds.indices + bounds.metadata));
  },
);
