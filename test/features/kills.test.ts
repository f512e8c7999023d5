import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";

const documents = 60;
/** How often the worker, or the whole server, is killed. */
const kills = Number(process.env["DRS_FUZZ_KILLS"] ?? 15);
const seed = Number(process.env["DRS_FUZZ_SEED"] ?? 1);

/** A word that no stemmer changes. */
const wordOf = (number: number): string =>
  `zq${Array.from(String(number).padStart(4, "0"), (digit) => "bcdfghjklm"[Number(digit)]).join("")}x`;

/** mulberry32: the same kills for the same seed. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("small documents survive kills of worker and server at random: each job ends as without, none lost, none doubled", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-kills-"));
  let server = await startServerProcess(dataDir);
  const random = randomNumbers(seed);
  async function connect(): Promise<Drs> {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    return createDrs({ server: server.url, apiKey });
  }
  try {
    let drs = await connect();
    const jobs: { readonly id: string; readonly datasetId: string; readonly pages: number }[] = [];
    for (let number = 0; number < documents; number++) {
      const pages = 1 + (number % 2);
      const texts = Array.from({ length: pages }, (_, page) => ({ text: `About ${wordOf(number * 10 + page)}.` }));
      const bytes = makePdf({ pages: texts });
      const { id, datasetId } = await drs.datasets.upload(bytes, { fileName: `${number}.pdf`, vectorize: true });
      jobs.push({ id, datasetId, pages });
    }
    for (let kill = 0; kill < kills; kill++) {
      await sleep(500 + random() * 2_000);
      if (random() < 0.6) {
        for (const pid of server.workers()) process.kill(pid, "SIGKILL");
      } else {
        await server.kill();
        server = await startServerProcess(dataDir);
      }
    }
    drs = await connect();
    for (const { id } of jobs) {
      expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", statusText: "", failures: [] });
    }
    for (const [number, { datasetId, pages }] of jobs.entries()) {
      const items = await Array.fromAsync(drs.items.list(datasetId, { sort: ["col"], row: "embedding_image" }));
      expect(items.map(({ col }) => col)).toEqual(Array.from({ length: pages }, (_, page) => page + 1));
      const found = await drs.search(wordOf(number * 10), { limit: 100 });
      expect(found.filter((item) => item.datasetId === datasetId && item.col === 1)).toHaveLength(1);
      expect(found[0]).toMatchObject({ datasetId, col: 1 });
    }
    expect((await drs.datasets.page({ limit: 1 })).total).toBe(documents);
    // What a killed process has left behind without an owner is removed; nothing is missing.
    const env = { DRS_DATA_DIR: dataDir };
    const verdicts = (await startCommand(["verify", "--repair", "--json"], env).outcome).stdout.split("\n");
    const kinds = verdicts.flatMap((line): string[] => (line === "" ? [] : [String(JSON.parse(line).kind)]));
    expect(kinds.filter((kind) => kind !== "stray rows" && kind !== "stray blob")).toEqual([]);
  } finally {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 900_000);
