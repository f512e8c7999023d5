import { createDrs, type Drs } from "@drs/client";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { docxOfPages } from "../fixtures/office-pages.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { olderVersion } from "../service/older.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { documentFrom, wordOf } from "./backup/library.ts";
import { stateOf } from "./upgrade/state.ts";

const older = olderVersion("folder");
/** Long enough to be at work when the older version ends. */
const longPages = 200;
const partBytes = 5_000_000;
const bookOfParts = makePdf({ pages: [{ text: "A book in parts." }, { operators: `%${"x".repeat(partBytes)}` }] });

describe.skipIf(!older.isThere)(`an upgrade of a data folder${older.reason}`, { timeout: 300_000 }, () => {
  let folder: string;
  let dataDir: string;
  let server: ServerProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-upgrade-"));
    dataDir = join(folder, "data");
    server = await startServerProcess(dataDir, [], {}, older.program);
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

  const linkTo = (url: string): string => server.url + new URL(url).pathname + new URL(url).search;

  test.each(["stopped", "killed"])("everything is there, and what was at work goes on: %s", async (how) => {
    const before = await client();
    const library = await fillLibrary(before, 1);
    const state = await stateOf(before, library, `what is said on ${wordOf(7)}`);
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
    server = await startServerProcess(dataDir);
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
    expect(await stateOf(after, library, `what is said on ${wordOf(7)}`)).toEqual(state);
    // The rows of what is deleted leave the index a moment later.
    const verify = () => startCommand(["verify", "--deep", "--json", "--data-dir", dataDir], {}).outcome;
    const whole = { code: 0, stdout: "", stderr: "" };
    await expect.poll(verify, { timeout: 60_000, interval: 500 }).toEqual(whole);
    expect(await server.terminate()).toBe(0);
  });

  test("back from it: the older version refuses the folder, and starts on a copy made before", async () => {
    const before = await client();
    const library = await fillLibrary(before, 0);
    const state = await stateOf(before, library, `what is said on ${wordOf(7)}`);
    expect(await server.terminate()).toBe(0);
    const copy = join(folder, "copy");
    execFileSync("cp", ["-a", dataDir, copy]);
    server = await startServerProcess(dataDir);
    expect(await server.terminate()).toBe(0);

    const words = ["serve", "--port", "0", "--data-dir", dataDir];
    const { code, stdout, stderr } = await startCommand(words, {}, older.program).outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/was written by a newer version of drs/);
    // Asking in vain has changed nothing.
    server = await startServerProcess(dataDir);
    // Workers make the index of the features, and these of the older version's index.
    const again = await client();
    await expect
      .poll(async () => (await again.search(wordOf(7))).incompleteDatasetIds, { timeout: 60_000 })
      .toEqual([]);
    expect(await stateOf(again, library, `what is said on ${wordOf(7)}`)).toEqual(state);
    expect(await server.terminate()).toBe(0);

    server = await startServerProcess(copy, [], {}, older.program);
    expect(await stateOf(await client(), library, `what is said on ${wordOf(7)}`)).toEqual(state);
  });
});
