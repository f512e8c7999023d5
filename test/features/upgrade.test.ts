import { createDrs, type Drs } from "@drs/client";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { docxOfPages } from "../fixtures/office-pages.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { nextMigration, nextVersion } from "../service/next-version/next-version.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { documentFrom, wordOf } from "./backup/library.ts";
import { stateOf } from "./upgrade/state.ts";

/*
 * How upgrades are tried before there is a second release: the older version is this one, and the newer one has a migration more,
 * which tests give it. The first real migration takes its place here, and this version becomes what the release is made of.
 */

/** The version after this one, beside which this one goes on: its migration only adds to the tables. */
const addsOnly = nextVersion("0001-initial");
/** The same, beside which this one cannot go on. */
const changesMore = nextVersion(nextMigration);

const question = `what is said on ${wordOf(7)}`;
/** Long enough to be at work when the older version ends. */
const longPages = 200;
const partBytes = 5_000_000;
const bookOfParts = makePdf({ pages: [{ text: "A book in parts." }, { operators: `%${"x".repeat(partBytes)}` }] });

describe("an upgrade of a data folder", { timeout: 600_000 }, () => {
  let folder: string;
  let dataDir: string;
  let server: ServerProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-upgrade-"));
    dataDir = join(folder, "data");
    server = await startServerProcess(dataDir);
  });
  afterEach(async () => {
    await server.terminate();
    await rm(folder, { recursive: true });
  });

  async function client(): Promise<Drs> {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    return createDrs({ server: server.url, apiKey });
  }

  /** Finished documents; their datasets. */
  async function fillLibrary(drs: Drs, letters: number): Promise<readonly string[]> {
    const jobs = [await drs.datasets.upload(documentFrom(1, 12), { fileName: "twelve.pdf", vectorize: true })];
    for (let letter = 0; letter < letters; letter++) {
      jobs.push(await drs.datasets.upload(docxOfPages(["A letter."]), { fileName: `letter-${letter}.docx` }));
    }
    for (const { id } of jobs) expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    return jobs.map(({ datasetId }) => datasetId);
  }

  async function post(path: string, fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>) {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") body.set(name, value);
      else body.set(name, new Blob([value]), "book.pdf");
    }
    const answer = await fetch(`${server.url}/v1/${path}`, { method: "POST", headers: { "x-api-key": apiKey }, body });
    const { data }: { data: Record<string, string> } = JSON.parse(await answer.text());
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return data;
  }

  async function migrate(version: Readonly<Record<string, string>>, ...flags: readonly string[]) {
    const { code, stdout } = await startCommand(["migrate", "--data-dir", dataDir, ...flags], version).outcome;
    return { code, stdout };
  }

  function sql(statement: string): readonly Record<string, unknown>[] {
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { timeout: 10_000 });
    try {
      return database.prepare(statement).all();
    } finally {
      database.close();
    }
  }

  /** Values of the column that the migration has added, of all datasets. */
  const labels = () => sql(`select "label" from "datasets"`).map(({ label }) => label);

  const linkTo = (url: string): string => server.url + new URL(url).pathname + new URL(url).search;

  test.each(["stopped", "killed"])("everything is there, and what was at work goes on: %s", async (how) => {
    const before = await client();
    const library = await fillLibrary(before, 1);
    const state = await stateOf(before, library, question);
    const [page] = (await before.items.page(library[0] ?? "", { row: "jpg" })).data;
    if (page === undefined) throw new Error("the document has no page");
    const picture = await (await before.download(page)).bytes();
    const once = { fileName: "once.pdf", idempotencyKey: "once" };
    const first = await before.datasets.upload(documentFrom(500, 1), once);
    await before.jobs.wait(first.id);
    const session = { fileName: "book.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
    const { key = "" } = await post("upload-session/start", session);
    await post("upload-session/append", { key, partNumber: "1", file: bookOfParts.slice(0, partBytes) });
    const long = await before.datasets.upload(documentFrom(1_000, longPages), {
      fileName: "long.pdf",
      vectorize: true,
    });
    const progress = async (drs: Drs) => (await drs.jobs.get(long.id)).progress;
    await expect.poll(async () => (await progress(before)).stage, { timeout: 60_000, interval: 20 }).toBe("embed");

    if (how === "stopped") expect(await server.terminate()).toBe(0);
    else await server.kill();
    server = await startServerProcess(dataDir, [], changesMore);
    const after = await client();
    const goingOn = await after.jobs.get(long.id);
    expect(["embed", "index", "done"]).toContain(goingOn.progress.stage);

    expect(await (await fetch(linkTo(page.share.url))).bytes()).toEqual(picture);
    expect((await after.datasets.upload(documentFrom(500, 1), once)).id).toBe(first.id);
    await post("upload-session/append", { key, partNumber: "2", file: bookOfParts.slice(partBytes) });
    const { id: bookJob = "" } = await post("upload-session/end", { key });
    for (const id of [long.id, bookJob]) {
      expect(await after.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    }
    const ids = (await Array.fromAsync(after.items.list(long.datasetId))).map(({ id }) => id);
    expect({ items: ids.length, different: new Set(ids).size }).toEqual({
      items: longPages * 3,
      different: longPages * 3,
    });
    const found = await after.search(wordOf(1_000 + longPages - 1), { limit: 3 });
    expect(found[0]).toMatchObject({ datasetId: long.datasetId, col: longPages });

    // The library as it was: what has come since is deleted again.
    const book = await after.jobs.get(bookJob);
    for (const id of [first.datasetId, long.datasetId, book.datasetId]) await after.datasets.delete(id);
    expect(await stateOf(after, library, question)).toEqual(state);
    expect(labels()).toEqual(library.map(() => "none"));
    // The rows of what is deleted leave the index a moment later.
    const verify = () => startCommand(["verify", "--deep", "--json", "--data-dir", dataDir], changesMore).outcome;
    const whole = { code: 0, stdout: "", stderr: "" };
    await expect.poll(verify, { timeout: 60_000, interval: 500 }).toEqual(whole);
    expect(await server.terminate()).toBe(0);
  });

  test("drs migrate beside a server at work: it goes on, and starts again, where the tables are only added to", async () => {
    const before = await client();
    const library = await fillLibrary(before, 0);
    const state = await stateOf(before, library, question);
    const long = await before.datasets.upload(documentFrom(1_000, longPages), {
      fileName: "long.pdf",
      vectorize: true,
    });

    expect(await migrate(addsOnly)).toEqual({ code: 0, stdout: `${nextMigration}\n` });
    const later = await before.datasets.upload(documentFrom(500, 2), { fileName: "later.pdf", vectorize: true });
    for (const { id } of [long, later])
      expect(await before.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    expect(await before.search(wordOf(501), { limit: 1 })).toMatchObject([{ datasetId: later.datasetId, col: 2 }]);
    expect(await server.terminate()).toBe(0);
    expect(await migrate({}, "--check")).toEqual({ code: 0, stdout: "" });
    server = await startServerProcess(dataDir);
    const again = await client();
    for (const { datasetId } of [long, later]) await again.datasets.delete(datasetId);
    expect(await stateOf(again, library, question)).toEqual(state);

    expect(await server.terminate()).toBe(0);
    server = await startServerProcess(dataDir, [], addsOnly);
    expect(await stateOf(await client(), library, question)).toEqual(state);
    expect(labels()).toEqual(["none"]);
  });

  test("a migration that fails in the middle leaves the folder to the older version, and is done later", async () => {
    const before = await client();
    const library = await fillLibrary(before, 0);
    const state = await stateOf(before, library, question);
    // The name of what the last statement of the migration makes.
    sql(`create index "datasetsByLabel" on "jobs" ("id")`);

    expect(await migrate(changesMore)).toEqual({ code: 1, stdout: "" });
    expect(await stateOf(before, library, question)).toEqual(state);
    expect(await server.terminate()).toBe(0);
    server = await startServerProcess(dataDir);
    const again = await client();
    expect(await stateOf(again, library, question)).toEqual(state);
    const { id } = await again.datasets.upload(documentFrom(500, 2), { fileName: "later.pdf", vectorize: true });
    expect(await again.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });

    expect(await server.terminate()).toBe(0);
    sql(`drop index "datasetsByLabel"`);
    server = await startServerProcess(dataDir, [], changesMore);
    const after = await client();
    expect(await after.search(wordOf(501), { limit: 1 })).toMatchObject([{ fileName: "later.pdf", col: 2 }]);
    expect(labels()).toEqual(["none", "none"]);
  });

  test("back from it: the older version refuses the folder, and starts on a copy made before", async () => {
    const before = await client();
    const library = await fillLibrary(before, 0);
    const state = await stateOf(before, library, question);
    expect(await server.terminate()).toBe(0);
    const copy = join(folder, "copy");
    execFileSync("cp", ["-a", dataDir, copy]);
    server = await startServerProcess(dataDir, [], changesMore);
    expect(await server.terminate()).toBe(0);

    const words = ["serve", "--port", "0", "--data-dir", dataDir];
    const { code, stdout, stderr } = await startCommand(words, {}).outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/was written by a newer version of drs/);
    // Asking in vain has changed nothing.
    server = await startServerProcess(dataDir, [], changesMore);
    expect(await stateOf(await client(), library, question)).toEqual(state);
    expect(await server.terminate()).toBe(0);

    server = await startServerProcess(copy);
    expect(await stateOf(await client(), library, question)).toEqual(state);
  });
});
