import { createDrs, type Drs } from "@drs/client";
import { copyFile, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";
import { countEmbedded } from "../service/samples.ts";
import { askHundred, fill } from "./backup/library.ts";

const pages = 100;

describe("drs storage move", { timeout: 240_000 }, () => {
  let folder: string;
  let source: string;
  let target: string;
  let library: readonly string[];
  let answers: readonly string[][];
  let usage: unknown;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-move-"));
    source = join(folder, "source");
    target = join(folder, "target");
    const server = await startServerProcess(source);
    try {
      const drs = await clientOf(source, server.url);
      library = await fill(drs, pages);
      answers = await askHundred(drs, pages, library);
      const [item] = (await drs.items.page(library[0] ?? "", { row: "jpg" })).data;
      if (item === undefined) throw new Error("no page");
      await (await drs.download(item)).bytes();
      await startPart(source, server.url);
      usage = await drs.usage();
    } finally {
      await server.terminate();
    }
  }, 240_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (...words: readonly string[]) => startCommand(words, {}).outcome;
  const move = () => ["storage", "move", "--json", "--data-dir", source, "--to-data-dir", target];

  test("a move that is killed is gone on with, and its target is not served before it has ended", async () => {
    const server = await startServerProcess(source);
    expect(await run(...move())).toMatchObject({ code: 1, stderr: expect.stringMatching(/uses the data folder/) });
    await server.terminate();
    for (let round = 0; round < 5; round++) {
      const command = startCommand(move(), {});
      await untilThere(join(target, "unfinished.json"));
      await sleep(60 * round);
      command.kill("SIGKILL");
      const { code } = await command.outcome;
      if (code === 0) break;
      const refused = await run("serve", "--port", "0", "--data-dir", target);
      // The process may also die before it has noted how far it has come.
      if (round === 2) await rm(join(target, "move.json"), { force: true });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/drs storage move was interrupted/) });
    }
    const moved = await run(...move());
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    // The documents, the part of an upload, and the features.
    expect(JSON.parse(moved.stdout)).toMatchObject({ blobs: library.length + 1 + (await partsIn(source)) });
    expect(await partsIn(target)).toBe(await partsIn(source));
    expect(booksOf(target)).toEqual(booksOf(source));
  });

  test("the target answers as the source did, and goes on with its uploads", async () => {
    await copyFile(join(source, "credentials.json"), join(target, "credentials.json"));
    const server = await startServerProcess(target);
    try {
      const drs = await clientOf(target, server.url);
      await untilWhole(drs);
      expect(await askHundred(drs, pages, library)).toEqual(answers);
      expect(await countEmbedded(server.url)).toBe(0);
      // Pages that are embedded again have their features in new parts.
      expect(await partsIn(target)).toBe(await partsIn(source));
      expect(await drs.usage()).toMatchObject({ stored: Reflect.get(Object(usage), "stored") });
      expect((await drs.uploads.page()).data[0]).toMatchObject({ partCount: 1 });
    } finally {
      await server.terminate();
    }
    expect(await run("verify", "--deep", "--json", "--data-dir", target)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a target that holds something else is refused", async () => {
    expect(await run(...move())).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty/) });
  });

  test("a source that was used meanwhile is found out", async () => {
    const other = join(folder, "other");
    const words = ["storage", "move", "--json", "--data-dir", source, "--to-data-dir", other];
    const command = startCommand(words, {});
    await untilThere(join(other, "move.json"));
    await expect.poll(() => isCopied(other, "organisations"), { interval: 2, timeout: 30_000 }).toBe(true);
    command.kill("SIGKILL");
    if ((await command.outcome).code === 0) throw new Error("the move was over before it could be killed");
    const database = new DatabaseSync(join(source, "metadata.sqlite"));
    database.exec(`update "organisations" set "name" = 'another name'`);
    database.close();
    expect(await run(...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/rows of organisations differ/),
    });
  });
});

async function partsIn(dataDir: string): Promise<number> {
  const paths = await readdir(join(dataDir, "blobs", "features"), { recursive: true });
  return paths.filter((path) => path.endsWith(".arrow")).length;
}

const untilWhole = (drs: Drs) =>
  expect
    .poll(async () => (await drs.search("harbour")).incompleteDatasetIds, { timeout: 60_000, interval: 250 })
    .toEqual([]);

async function isCopied(dataDir: string, table: string): Promise<boolean> {
  const state = JSON.parse(await readFile(join(dataDir, "move.json"), "utf8")) as { rows: Record<string, unknown> };
  return state.rows[table] !== undefined;
}

/** Returns the counts of the database itself. */
function booksOf(dataDir: string): unknown[] {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
  const rows = ["holdings", "pageCounts", "tallies"].flatMap((table) =>
    database.prepare(`select * from "${table}" order by 1, 2, 3, 4`).all(),
  );
  database.close();
  return rows.filter((row) => row["owner"] !== "cache");
}

async function clientOf(dataDir: string, server: string): Promise<Drs> {
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  return createDrs({ server, apiKey });
}

/** An upload session with one part. */
async function startPart(dataDir: string, url: string): Promise<void> {
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  const post = async (path: string, fields: Record<string, string | Blob>): Promise<{ data: { key: string } }> => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const response = await fetch(`${url}/v1/upload-session/${path}`, {
      method: "POST",
      headers: { "x-api-key": apiKey },
      body,
    });
    expect(response.status).toBeLessThan(300);
    return response.json() as Promise<{ data: { key: string } }>;
  };
  const start = { fileName: "open.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
  const { key } = (await post("start", start)).data;
  await post("append", { key, partNumber: "1", file: new Blob([Buffer.alloc(5_000_000, "%PDF-1.7\n")]) });
}

async function untilThere(path: string): Promise<void> {
  const isThere = (): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { interval: 5, timeout: 30_000 }).toBe(true);
}
