import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { ask, fill, putAll, table } from "./damage/filled.ts";
import { kinds, newestManifestLost } from "./damage/kinds.ts";
import { type LanceFolder, openLanceFolder } from "./testing/lance-folder.ts";

/** Old versions stay, as they do beside a maintenance that comes seconds later. */
const retentionMs = 60_000;

let whole: LanceFolder;
let answers: readonly string[];
beforeAll(async () => {
  whole = await openLanceFolder();
  const store = await whole.open({ retentionMs });
  await fill(store);
  answers = await ask(store);
  await whole.close();
});
afterAll(() => whole.dispose());

interface Scene extends Omit<LanceFolder, "open"> {
  /** Why tables were given up. */
  readonly reasons: readonly string[];
  open(): Promise<VectorStore>;
}

/** A copy of a store that has never been damaged. */
async function copy(): Promise<Scene> {
  const folder = await openLanceFolder(whole);
  const reasons: string[] = [];
  const open = () => folder.open({ retentionMs, onGivenUp: (_, why) => reasons.push(why) });
  return { ...folder, reasons, open };
}

/** Either all is found, or nothing, and the table has been given up. */
async function expectTrust({ metadata, reasons }: Scene, store: VectorStore): Promise<void> {
  await ask(store);
  // What only reading shows.
  await store.verify(table);
  const found = await ask(store);
  if ((await metadata.indexTables.find(table)) === undefined) {
    expect(found).toEqual([]);
    expect(reasons).toEqual([expect.stringMatching(/./)]);
  } else {
    expect(found).toEqual(answers);
    expect(reasons).toEqual([]);
  }
}

describe.each(kinds)("where $what", { timeout: 60_000 }, ({ harm }) => {
  it("before the first use, a table is whole or given up", async () => {
    const scene = await copy();
    (await scene.tables()).forEach(harm);
    const store = await scene.open();
    await expectTrust(scene, store);
    await putAll(store);
    expect(await ask(store)).toEqual(answers);
    await scene.dispose();
  });

  it("in use, a table is whole or given up, and its workspace goes on", async () => {
    const scene = await copy();
    const store = await scene.open();
    expect(await ask(store)).toEqual(answers);
    (await scene.tables()).forEach(harm);
    await expectTrust(scene, store);
    await putAll(store);
    expect(await ask(store)).toEqual(answers);
    await store.maintain();
    await scene.sweep();
    expect(await ask(store)).toEqual(answers);
    await scene.dispose();
  });
});

it("is given up where the newest manifest is missing, and with it what was written last", async () => {
  const scene = await copy();
  (await scene.tables()).forEach(newestManifestLost);
  const store = await scene.open();
  expect(await ask(store)).toEqual([]);
  expect(scene.reasons).toEqual([expect.stringMatching(/^it is at version \d+, and was at \d+$/)]);
  await putAll(store);
  expect(await ask(store)).toEqual(answers);
  await scene.dispose();
});
