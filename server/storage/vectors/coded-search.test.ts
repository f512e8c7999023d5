import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { between, createRandom } from "../../../bench/measuring/random.ts";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { type CodedMemory, createCodesInMemory } from "./coded-search.ts";
import { searchDense } from "./dense.ts";
import { createFolderPlace } from "./folder.ts";
import { putDense } from "./put.ts";
import { createRowFiller } from "./row-filler.ts";
import { openTables, type Tables } from "./tables.ts";

const random = createRandom(45);
const dimensions = 512;
const pageCount = 120;
const space = { kind: "dense", pack: "p@1", name: "text", dimensions, firstPass: "first" } as const;
const [own, other] = [newWorkspaceId(), newWorkspaceId()];
const datasetIds = [newDatasetId(), newDatasetId()] as const;
let root: string;
let tables: Tables;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "drs-coded-"));
  tables = await openTables(root, createFolderPlace(root));
});
afterAll(async () => {
  tables.close();
  await rm(root, { recursive: true });
});

const vectorOf = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);

const acts = ["delete", "put again", "fold", "fold", "make anew", "put again"] as const;
const pagesFrom = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

/** The first dataset is of one workspace, the second of the other. */
async function put(pages: readonly number[]): Promise<void> {
  const rows = pages.map((page) => {
    const isOwn = random() < 0.7;
    const vectors = Array.from({ length: between(random, 1, 5) }, vectorOf);
    return { workspaceId: isOwn ? own : other, datasetId: datasetIds[isOwn ? 0 : 1], generation: "", page, vectors };
  });
  await putDense(tables, space, rows);
}

const emptyMemory = (): CodedMemory => ({
  codes: createCodesInMemory(),
  disk: undefined,
  filler: createRowFiller({ maxBytes: 0 }),
});

test("codes in memory are those of the table, while it is written to, folded, removed and made anew", async () => {
  const memory = emptyMemory();
  const scope = { workspaceId: own, datasetIds: undefined, limit: pageCount };
  const search = async (by: CodedMemory, question: Float32Array) =>
    searchDense({ tables, large: new Set(), ...by }, space, question, scope);
  const isSame = async (): Promise<void> => {
    const question = vectorOf();
    const expected = await search(emptyMemory(), question);
    expect(expected.length).toBeGreaterThan(0);
    expect(await search(memory, question)).toEqual(expected);
  };

  await put(pagesFrom(0, pageCount));
  await isSame();
  for (let time = 0; time < 2 * acts.length; time++) {
    const table = (await tables.find(space)) ?? expect.unreachable();
    const from = between(random, 0, pageCount - 20);
    const act = acts[time % acts.length];
    if (act === "delete") await table.delete(`page >= ${from} AND page < ${from + 10}`);
    else if (act === "fold") await table.optimize({ cleanupOlderThan: new Date() });
    else if (act === "put again") await put(pagesFrom(from, 20));
    else {
      await tables.drop(space.pack);
      await put(pagesFrom(0, pageCount));
    }
    await isSame();
  }
});
