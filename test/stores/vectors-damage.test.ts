import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VectorStore } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { kinds } from "./damage/kinds.ts";
import { allPages, ask, dense, fill, fillAgain, lexical, rowsIn, wrongAmong } from "./damage/library.ts";

/** Old versions stay, as they do beside a maintenance that comes seconds later. */
const retentionMs = 60_000;

let whole: string;
let answers: readonly string[];
beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), "drs-whole-"));
  const store = await openLanceVectors({ url: whole, retentionMs });
  await fill(store);
  answers = await ask(store);
  await store.close();
});
afterAll(() => rm(whole, { recursive: true }));

interface Scene {
  readonly url: string;
  readonly tables: readonly string[];
  open(): Promise<VectorStore>;
  close(): Promise<void>;
}

/** A copy of a store that has never been damaged. */
async function copy(): Promise<Scene> {
  const url = await mkdtemp(join(tmpdir(), "drs-damage-"));
  await cp(whole, url, { recursive: true, preserveTimestamps: true });
  const opened: VectorStore[] = [];
  return {
    url,
    tables: (await readdir(url)).filter((name) => name.endsWith(".lance")).map((name) => join(url, name)),
    async open() {
      const store = await openLanceVectors({ url, retentionMs });
      opened.push(store);
      return store;
    },
    async close() {
      for (const store of opened) await store.close();
      await rm(url, { recursive: true });
    },
  };
}

async function expectMended(store: VectorStore, atLeast: number): Promise<void> {
  const [inDense, inWords] = [await rowsIn(store, dense), await rowsIn(store, lexical)];
  expect({ dense: inDense.size >= atLeast, words: inWords.size >= atLeast }).toEqual({ dense: true, words: true });
  expect(await wrongAmong(store, inDense, inWords)).toEqual([]);
  if (atLeast === allPages) expect(await ask(store)).toEqual(answers);
  await fillAgain(store);
  await store.maintain();
  expect(await ask(store)).toEqual(answers);
}

describe.each(kinds)("$what", ({ harm, atLeast, isReported = true }) => {
  it("is found and mended at the first use", async () => {
    const scene = await copy();
    scene.tables.forEach(harm);
    const store = await scene.open();
    await ask(store);
    // What only reading shows.
    await store.verify("rows");
    const reported = await store.damage();
    const spaces = new Set(reported.map(({ space }) => space.name));
    expect(spaces).toEqual(new Set(isReported ? [dense.name, lexical.name] : []));
    await expectMended(store, atLeast);
    await store.settle(reported);
    expect(await store.damage()).toEqual([]);
    const later = await scene.open();
    expect(await later.verify("rows")).toEqual([]);
    expect(await ask(later)).toEqual(answers);
    await scene.close();
  });

  it("is found and mended in use, by searches and by writes", async () => {
    const scene = await copy();
    const [searching, writing] = [await scene.open(), await scene.open()];
    await Promise.all([ask(searching), ask(writing)]);
    scene.tables.forEach(harm);
    await Promise.all([ask(searching), ask(writing).then(() => writing.maintain())]);
    await searching.verify("rows");
    await expectMended(writing, atLeast);
    expect(await ask(searching)).toEqual(answers);
    await scene.close();
  });
});
