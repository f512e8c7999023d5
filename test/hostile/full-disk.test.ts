import { createDrs, type Drs } from "@drs/client";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { mountSmallDisk } from "../service/small-disk.ts";

const drsPath = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

const { disk, reason } = mountSmallDisk(24 * 2 ** 20);
const path = disk?.path ?? "";

describe.skipIf(disk === undefined)(`a full disk${reason}`, () => {
  const dataDir = join(path, "data");
  let server: ChildProcess;
  let log = "";
  let url = "";
  let apiKey = "";
  let drs: Drs;

  const pdf = (pages: number, word: string): Blob =>
    new Blob([
      makePdf({ pages: Array.from({ length: pages }, (_, page) => ({ text: `Page ${page} speaks of ${word}.` })) }),
    ]);

  beforeAll(async () => {
    server = spawn(process.execPath, [drsPath, "serve", "--data-dir", dataDir, "--port", "0", "--log", "warn"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    server.stderr?.on("data", (piece: Buffer) => (log += piece.toString()));
    url = await new Promise<string>((resolve, reject) => {
      let said = "";
      server.stdout?.on("data", (piece: Buffer) => {
        said += piece.toString();
        const address = /listening on (\S+)\n/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      server.once("exit", () => reject(new Error(`the server ended: ${log}`)));
    });
    apiKey = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")).apiKey;
    drs = createDrs({ server: url, apiKey });
  });
  afterEach(() => disk?.free());
  afterAll(async () => {
    if (server.exitCode === null) {
      server.kill("SIGTERM");
      await once(server, "exit");
    }
    disk?.remove();
  });

  interface Answer {
    readonly status: number;
    readonly code?: string;
    readonly error?: string;
    readonly data: Readonly<Record<string, unknown>>;
  }

  async function rest(method: string, what: string, fields?: Record<string, string | Blob>): Promise<Answer> {
    const form = fields && new FormData();
    for (const [name, value] of Object.entries(fields ?? {})) {
      if (typeof value === "string") form?.set(name, value);
      else form?.set(name, value, "a.pdf");
    }
    const response = await fetch(`${url}/v1/${what}`, {
      method,
      headers: { "x-api-key": apiKey },
      ...(form && { body: form }),
    });
    const body: { data?: Record<string, unknown>; code?: string; error?: string } = JSON.parse(await response.text());
    return { status: response.status, ...body, data: body.data ?? {} };
  }

  async function upload(type: "extract" | "vectorize", file: Blob): Promise<{ jobId: string; datasetId: string }> {
    const { status, data } = await rest("POST", type, { file });
    expect(status).toBeLessThan(300);
    return { jobId: String(data["id"]), datasetId: String(data["datasetId"]) };
  }
  async function ended(jobId: string): Promise<string> {
    for (;;) {
      const { status, statusText } = await drs.jobs.get(jobId);
      if (["SUCCESS", "ERROR", "CANCELLED"].includes(status)) return `${status} ${statusText ?? ""}`.trim();
      await sleep(100);
    }
  }
  const refused = { status: 507, success: false, code: "RESOURCE_EXHAUSTED", error: expect.stringContaining("disk") };

  test("refuses what brings bytes, serves what is there, lets delete, and then goes on by itself", async () => {
    const kept = await upload("vectorize", pdf(6, "zebras"));
    expect(await ended(kept.jobId)).toBe("SUCCESS");
    const doomed = await upload("extract", pdf(3, "yaks"));
    expect(await ended(doomed.jobId)).toBe("SUCCESS");
    const session = await rest("POST", "upload-session/start", {
      fileName: "a.pdf",
      fileExt: "pdf",
      fileType: "application/pdf",
      jobType: "extract",
    });
    const key = String(session.data["key"]);
    const part = { key, partNumber: "1", file: pdf(2, "antelopes") };
    expect((await rest("POST", "upload-session/append", part)).status).toBe(200);
    const found = await drs.search({ text: "zebras" }, { datasetIds: [kept.datasetId] });
    expect(found).toHaveLength(6);
    // The first results are rendered in advance, the last one is not.
    const [cached = "", uncachedUrl = ""] = [found.at(0), found.at(-1)].map((page) => page?.share.url);
    expect((await fetch(cached)).status).toBe(200);
    disk?.fill();
    const before = log.split("\n").length;

    expect(await rest("POST", "extract", { file: pdf(2, "x") })).toMatchObject(refused);
    expect(await rest("POST", "extract", { url: `${url}/a.pdf` })).toMatchObject(refused);
    expect(await rest("POST", "vectorize", { file: pdf(2, "x") })).toMatchObject(refused);
    expect(await rest("POST", `datasets/${doomed.datasetId}/vectorize`)).toMatchObject(refused);
    expect(await rest("POST", "upload-session/append", part)).toMatchObject(refused);
    expect(await rest("POST", "upload-session/end", { key })).toMatchObject(refused);
    expect(readdirSync(join(dataDir, "blobs", "tmp"))).toEqual([]);

    expect((await drs.search({ text: "zebras" }, { datasetIds: [kept.datasetId] })).length).toBeGreaterThan(0);
    expect((await fetch(cached)).status).toBe(200);
    // A page that has never been asked for cannot be kept, and says why; maintenance of the index may have given room back.
    disk?.fill();
    const uncached = await fetch(uncachedUrl);
    expect([uncached.status, await uncached.text()]).toEqual([507, expect.stringContaining("disk")]);
    expect((await rest("DELETE", `datasets/${doomed.datasetId}`)).status).toBe(200);
    expect((await rest("GET", `datasets/${doomed.datasetId}`)).status).toBe(404);
    await sleep(5_000);
    expect(log.split("\n").length - before).toBeLessThan(12);
    expect(server.exitCode).toBeNull();
    disk?.free();
    expect((await rest("POST", "upload-session/end", { key })).status).toBe(200);
    await expect.poll(() => statSync(join(dataDir, "reserve")).size, { timeout: 30_000 }).toBe(2 ** 19);
  }, 120_000);

  test("jobs that meet it wait, and succeed when there is room", async () => {
    const later = await upload("extract", pdf(3, "quaggas"));
    expect(await ended(later.jobId)).toBe("SUCCESS");
    const extract = await upload("extract", pdf(600, "okapis"));
    const both = await upload("vectorize", pdf(300, "gnus"));
    const vectorize = await rest("POST", `datasets/${later.datasetId}/vectorize`);
    expect(vectorize.status).toBeLessThan(300);
    disk?.fill();
    const before = log.split("\n").length;
    const jobs = [extract.jobId, both.jobId, String(vectorize.data["id"])];
    const states = () => Promise.all(jobs.map((id) => drs.jobs.get(id)));
    const texts = async () => (await states()).map(({ statusText }) => statusText);
    // Of what had finished before the disk was full nothing waits, and how soon the rest meets it is the machine's speed.
    await expect.poll(texts, { timeout: 90_000 }).toContainEqual(expect.stringContaining("disk"));
    await sleep(20_000);
    expect((await states()).map(({ status }) => status)).not.toContain("ERROR");
    expect(log.split("\n").length - before).toBeLessThan(12);
    disk?.free();
    for (const id of jobs) expect(await ended(id)).toBe("SUCCESS");
    expect(server.exitCode).toBeNull();
  }, 300_000);

  test("a command that serves itself ends with a sentence", async () => {
    // Its maintenance would make room.
    server.kill("SIGTERM");
    await once(server, "exit");
    const own = join(path, "own");
    const env = { HOME: path, DRS_DATA_DIR: own, DRS_LOG: "info" };
    expect((await startCommand(["datasets", "list"], env).outcome).code).toBe(0);
    const file = join(tmpdir(), `drs-full-${process.pid}.pdf`);
    await writeFile(file, makePdf({ pages: [{ text: "one" }] }));
    disk?.fill();
    const { code, stderr } = await startCommand(["upload", file], env).outcome;
    disk?.free();
    await rm(file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/disk/);
    expect(stderr).not.toMatch(/^ +at /m);
  }, 60_000);
});
