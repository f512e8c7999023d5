import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs, type Drs, type ModelState } from "@drs/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { copyBuiltinPack } from "../fixtures/model-pack.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

const copy = "copy@7.0.0";

const animals = ["penguins", "elephants", "giraffes", "salmon"];

/** A word of one page that no stemmer changes. */
const wordOf = (animal: string, page: number): string =>
  `${animal}${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

/** Every page is about its animal, and about a word that no other page has. */
const documentOf = (animal: string, pages: number): Buffer =>
  makePdf({
    pages: Array.from({ length: pages }, (_, index) => ({
      text: `About ${animal}, chapter ${index + 1}\nThe ${animal} of this chapter are called ${wordOf(animal, index + 1)}.`,
    })),
  });

/** The first is long enough for the change to be interrupted on its way. */
const lengths = animals.map((_, index) => (index === 0 ? 60 : 6));
const documents = animals.map((animal, index) => [`${animal}.pdf`, documentOf(animal, lengths[index] ?? 0)] as const);
const pagesTotal = lengths.reduce((sum, length) => sum + length, 0);

describe("a change of the model pack", () => {
  let folders: string[];
  let servers: ServerProcess[];
  let server: ServerProcess;
  let drs: Drs;

  beforeEach(async () => {
    folders = [];
    servers = [];
    ({ server, drs } = await start());
  });
  afterEach(async () => {
    await Promise.all(servers.map((started) => started.terminate()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const dataDir = (): string => folders[0] ?? "";

  async function start(...flags: string[]): Promise<{ server: ServerProcess; drs: Drs; dataDir: string }> {
    const folder = await mkdtemp(join(tmpdir(), "drs-change-"));
    folders.push(folder);
    await copyBuiltinPack(join(folder, "models", copy), { id: "copy", version: "7.0.0" });
    const started = await startServerProcess(folder, flags);
    servers.push(started);
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
    return { server: started, drs: createDrs({ server: started.url, apiKey }), dataDir: folder };
  }

  async function fill(to: Drs): Promise<void> {
    for (const [fileName, content] of documents) {
      const job = await to.datasets.upload(content, { fileName, vectorize: true });
      expect(await to.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    }
  }

  /** The pages that a search finds, by names that are the same on every server. */
  async function found(of: Drs, query: string): Promise<readonly string[]> {
    const datasets = await Array.fromAsync(of.datasets.list());
    return (await of.search(query, { limit: 5 })).map(({ id, col }) => {
      const dataset = datasets.find((candidate) => id.includes(candidate.id.slice("ds_".length)));
      return `${dataset?.fileName} ${col}`;
    });
  }

  /** The embeddings of a document's first pages. */
  async function embeddings(of: Drs, fileName: string): Promise<readonly { model: string; values: number[] }[]> {
    const dataset = (await Array.fromAsync(of.datasets.list())).find((candidate) => candidate.fileName === fileName);
    const query = { row: "embedding_image", cols: "1:3", sort: ["col"] } as const;
    const items = await Array.fromAsync(of.items.list(dataset?.id ?? "", query));
    return Promise.all(items.map(async (item) => JSON.parse(await (await (await of.download(item)).blob()).text())));
  }

  /** Searches until told to stop, with pauses in which the change goes on; each must find pages of the animal that it asks for. */
  function searchAllTheTime(): { stop(): Promise<number> } {
    let count = 0;
    const over = new AbortController();
    const searching = (async () => {
      while (!over.signal.aborted) {
        const animal = animals[count % animals.length] ?? "";
        const results = await found(drs, `${animal} ${wordOf(animal, 5)}`);
        expect(results[0]).toBe(`${animal}.pdf 5`);
        expect(new Set(results).size).toBe(5);
        count += 1;
        await sleep(50);
      }
    })();
    // Reported where it is awaited.
    searching.catch(() => undefined);
    return {
      async stop() {
        over.abort();
        await searching;
        return count;
      },
    };
  }

  async function reached(isThere: (state: ModelState) => boolean): Promise<ModelState> {
    for (;;) {
      const state = await drs.models.list();
      if (isThere(state)) return state;
      await sleep(50);
    }
  }

  const isOver = ({ progress }: ModelState): boolean => progress.datasetsDone === progress.datasetsTotal;

  /** The packs that have tables in the vector store; of a table that belongs to none its name. */
  async function packsWithTables(): Promise<readonly string[]> {
    const database = new DatabaseSync(join(dataDir(), "metadata.sqlite"), { readOnly: true });
    const rows = database.prepare(`select "name", "pack" from "indexTables"`).all();
    database.close();
    const packs = new Map(rows.map(({ name, pack }) => [`${String(name)}.lance`, String(pack).split("@")[0]]));
    const tables = await readdir(join(dataDir(), "vectors"));
    return [...new Set(tables.map((table) => packs.get(table) ?? table))].toSorted();
  }

  const tablesGone = { timeout: 60_000, interval: 200 };

  test("goes on through a kill, searches find everything all the time, and nothing of the old pack stays", async () => {
    await fill(drs);
    const searching = searchAllTheTime();

    expect(await drs.models.use("copy")).toMatchObject({ inUse: copy, progress: { datasetsTotal: animals.length } });
    const before = await reached(({ progress }) => progress.pagesDone >= 6);
    expect(before.progress.datasetsDone).toBeLessThan(animals.length);
    for (const pid of server.workers()) process.kill(pid, "SIGKILL");
    const after = await reached(() => true);
    // It goes on from its last finished page.
    expect(after.progress.pagesDone).toBeGreaterThanOrEqual(before.progress.pagesDone);

    const end = await reached(isOver);
    expect(end.progress).toMatchObject({ pagesDone: pagesTotal, pagesTotal, datasetsFailed: 0, failures: [] });
    await expect.poll(packsWithTables, tablesGone).toEqual(["copy"]);
    await expect
      .poll(async () => (await drs.models.list()).packs.filter(({ datasets }) => datasets > 0), tablesGone)
      .toMatchObject([{ id: copy, inUse: true, place: "installed" }]);
    expect(await searching.stop()).toBeGreaterThan(0);

    // The same as on a server that has always used this pack.
    const fresh = await start("--model", "copy");
    await fill(fresh.drs);
    for (const [index, animal] of animals.entries()) {
      const query = wordOf(animal, lengths[index] ?? 0);
      expect((await found(drs, query))[0]).toBe(`${animal}.pdf ${lengths[index]}`);
      expect((await found(fresh.drs, query))[0]).toBe(`${animal}.pdf ${lengths[index]}`);
      const made = await embeddings(fresh.drs, `${animal}.pdf`);
      expect(made.map(({ model }) => model)).toEqual([copy, copy, copy]);
      expect(await embeddings(drs, `${animal}.pdf`)).toEqual(made);
    }
  }, 400_000);

  test("can be taken back in the middle, and leaves out what is deleted meanwhile", async () => {
    await fill(drs);
    const workers = server.workers();
    const searching = searchAllTheTime();
    await drs.models.use(copy);
    await reached(({ progress }) => progress.pagesDone >= 6);
    const back = await drs.models.use("builtin");
    expect(back.inUse).toMatch(/^builtin@/);
    await reached(isOver);
    await expect.poll(packsWithTables, tablesGone).toEqual(["builtin"]);
    await searching.stop();

    await drs.models.use(copy);
    await reached(({ progress }) => progress.pagesDone >= 6);
    for (const { id } of await Array.fromAsync(drs.datasets.list())) await drs.datasets.delete(id);
    expect(await drs.search("penguins")).toEqual([]);
    await reached(({ progress }) => progress.datasetsTotal === 0);
    // Work that is abandoned ends nothing else.
    expect(server.workers()).toEqual(workers);
    await expect.poll(packsWithTables, tablesGone).toEqual(expect.not.arrayContaining(["builtin"]));
  }, 400_000);

  test("is refused for a pack that is not there or does not work, and then nothing changes", async () => {
    const { inUse } = await drs.models.list();
    await expect(drs.models.use("unknown")).rejects.toMatchObject({ code: "not_found" });
    const graph = (await readdir(join(dataDir(), "models", copy))).find((name) => name.endsWith(".onnx"));
    await appendFile(join(dataDir(), "models", copy, graph ?? ""), "x");
    await expect(drs.models.use(copy)).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringMatching(/bytes where its manifest says/),
    });
    expect((await drs.models.list()).inUse).toBe(inUse);
  }, 60_000);

  test("is followed at the terminal", async () => {
    const run = (...words: string[]) =>
      runCaptured(["models", ...words], { DRS_DATA_DIR: dataDir(), XDG_CONFIG_HOME: dataDir() });
    const job = await drs.datasets.upload(documentOf("bats", 3), { fileName: "bats.pdf", vectorize: true });
    await drs.jobs.wait(job.id);

    expect(await run("verify", "--json")).toMatchObject({ code: 0, stdout: expect.stringContaining(copy) });
    const before: { data: { id: string }[] } = JSON.parse((await run("list", "--json")).stdout);
    expect(before).toMatchObject({ inUse: expect.stringMatching(/^builtin@/), progress: { datasetsDone: 1 } });
    expect(before.data.find(({ id }) => id === copy)).toMatchObject({ place: "installed", inUse: false, datasets: 0 });

    const used = await run("use", "copy", "--wait");
    expect(used).toMatchObject({
      code: 0,
      stdout: `${copy} is in use\n`,
      stderr: expect.stringContaining("1 of 1 dataset"),
    });
    expect((await run("list")).stdout).toMatch(new RegExp(`${copy}\\s+in use\\s+1 `));
    // How much there is to pull is known before it is pulled.
    expect((await run("list")).stdout).toMatch(/ pull all-minilm-l6-v2 .* ~\d+(\.\d)? MB /);
    expect(await run("use", "unknown")).toMatchObject({ code: 1, stderr: expect.stringContaining("drs models list") });

    await server.terminate();
    const unserved = await run("use", "builtin");
    expect(unserved).toMatchObject({ code: 1, stderr: expect.stringContaining("drs serve --model builtin") });
    expect(await run("list")).toMatchObject({ code: 0, stderr: expect.stringContaining("no server is running") });
    // The choice stays when the server starts again without the setting.
    server = await startServerProcess(dataDir());
    servers.push(server);
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir(), "credentials.json"), "utf8"));
    expect((await createDrs({ server: server.url, apiKey }).models.list()).inUse).toBe(copy);
  }, 120_000);
});
