import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import { openMetadata } from "../../../server/storage/metadata/open.ts";
import { openLanceVectors } from "../../../server/storage/vectors/open.ts";
import { datasetAt, dense, lexical, pack, rowsAt, workspaceId } from "./index/index-rows.ts";
import { cutPower, sizesIn } from "./cut.ts";
import { type Recording, startRecording, whyNot } from "./recorder.ts";

const child = fileURLToPath(new URL("./index/put-and-maintain.ts", import.meta.url));
const reason = whyNot();
/** 200 take some minutes. */
const cuts = Number(process.env["DRS_TEST_POWER_CUTS"] ?? 24);
const datasetsPerRun = 5;

interface Run {
  readonly said: readonly string[];
  readonly wasCut: boolean;
}

/** Runs the child in a group of its own until it ends or the power is cut. */
async function run(recording: Recording, first: number, cutAt: number): Promise<Run> {
  const process_ = spawn(process.execPath, [child, recording.root, String(first), String(datasetsPerRun)], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...recording.environment(cutAt) },
  });
  const exited = once(process_, "exit");
  const output = await text(process_.stdout);
  const [code, signal]: unknown[] = await exited;
  expect({ code, signal }).toEqual(signal === null ? { code: 0, signal: null } : { code: null, signal: "SIGKILL" });
  return { said: output.split("\n").filter((line) => line !== ""), wasCut: signal !== null };
}

/** Returns the problems of the store, given the answers about the table that is there. */
async function faults(store: VectorStore, present: ReadonlySet<number>, gone: ReadonlySet<number>): Promise<string[]> {
  const found: string[] = [];
  const scope = { workspaceId, datasetIds: undefined, limit: 10 };
  for (const at of present) {
    for (const { page, vectors, word } of rowsAt(at)) {
      const key = { datasetId: datasetAt(at), page, generation: "a1" };
      const [vector] = await store.vectorsOf(dense, key, workspaceId);
      const expected = new Float32Array(new Float16Array(vectors[0] ?? []));
      if (String(vector) !== String(expected)) found.push(`vectors of ${at}/${page}`);
      const hits = await store.searchLexical(lexical, word, scope);
      if (hits[0]?.datasetId !== datasetAt(at) || hits[0].page !== page) found.push(`words of ${at}/${page}`);
    }
  }
  for (const at of gone) {
    for await (const { page } of store.rowsOf(dense, workspaceId, datasetAt(at))) found.push(`${at}/${page} is back`);
  }
  const query = Float32Array.from({ length: 16 }, (_, at) => Math.cos(at));
  if (present.size > 0 && (await store.searchDense(dense, query, scope)).length === 0) found.push("nothing is found");
  return found;
}

describe.skipIf(reason !== undefined)(`the index after power cuts${reason === undefined ? "" : ` (${reason})`}`, () => {
  it(`${cuts} of them: a table that is there has all that was answered, and it goes on`, async () => {
    const seed = Number(process.env["DRS_TEST_SEED"] ?? 1);
    const random = createRandom(seed);
    const recording = startRecording();
    onTestFinished(recording.remove);
    /** By dataset, the table that it was put into. */
    const present = new Map<number, string>();
    const gone = new Set<number>();
    let [first, cutBefore, kept, givenUp] = [0, 0, 0, 0];
    // As many changes as a run makes that is not cut.
    let most = 1_000;
    for (let cut = 0; cut < cuts; cut++) {
      recording.settle();
      const before = sizesIn(recording.root);
      const { said, wasCut } = await run(recording, first, 1 + Math.floor(random() * most));
      if (!wasCut) most = recording.changes();
      cutBefore += wasCut ? 1 : 0;
      for (const line of said) {
        const [what, number, table = ""] = line.split(" ");
        const at = Number(number);
        if (what === "put") present.set(at, table);
        // From here on it may be there or not.
        if (what === "removing") present.delete(at);
        if (what === "removed") gone.add(at);
      }
      if (wasCut) cutPower(recording, before, random);
      const metadata = await openMetadata({ url: undefined, dataDir: recording.root });
      const store = await openLanceVectors({
        url: join(recording.root, "vectors"),
        metadata,
        clock: Date.now,
        retentionMs: 50,
        onGivenUp: () => (givenUp += 1),
      });
      const check = async (): Promise<void> => {
        await store.searchLexical(lexical, "harbour", { workspaceId, datasetIds: undefined, limit: 1 });
        const table = (await metadata.indexTables.find({ workspaceId, pack: pack.id }))?.name;
        // What was in another one is made again of its features, which is not the store's to do.
        for (const [at, name] of present) if (name !== table) present.delete(at);
        const found = await faults(store, new Set(present.keys()), gone);
        expect({ seed, cut, faults: found }).toEqual({ seed, cut, faults: [] });
      };
      await check();
      for (let round = 0; round < 3; round++) await store.maintain();
      await check();
      kept += present.size > 0 ? 1 : 0;
      await store.close();
      await metadata.close();
      first += datasetsPerRun;
      if (present.size > 40) for (const at of [...present.keys()].slice(0, 20)) present.delete(at);
    }
    expect(cutBefore).toBeGreaterThan(cuts / 2);
    // Some had been put on disk before, others not.
    expect([kept, givenUp].every((times) => times > 0)).toBe(true);
  }, 1_800_000);
});
