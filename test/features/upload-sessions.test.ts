import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

const partBytes = 5_000_000;
/** Four parts, the last of which is small. */
const book = makePdf({ pages: [{ text: "A book in parts." }, { operators: `%${"x".repeat(3 * partBytes)}` }] });
const bookParts = [0, 1, 2, 3].map((index) => book.subarray(index * partBytes, (index + 1) * partBytes));

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
}

describe("an upload session", () => {
  let dataDir: string;
  let server: ServerProcess;
  let apiKey: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-sessions-"));
    server = await startServerProcess(dataDir);
    apiKey = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")).apiKey;
  });
  afterEach(async () => {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", apiKey);
    const response = await fetch(`${server.url}/v1/${path}`, { ...init, headers });
    const body: { data?: Record<string, unknown> } = JSON.parse(await response.text());
    return { status: response.status, data: body.data ?? {} };
  }

  function post(path: string, fields: Record<string, string | Uint8Array>, signal?: AbortSignal): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") form.set(name, value);
      else form.set(name, new Blob([new Uint8Array(value)]), "part");
    }
    return send(path, { method: "POST", body: form, ...(signal && { signal }) });
  }

  async function start(): Promise<string> {
    const fields = { fileName: "book.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
    return String((await post("upload-session/start", fields)).data["key"]);
  }
  async function append(key: string, ...numbers: number[]): Promise<void> {
    for (const partNumber of numbers) {
      const file = bookParts[partNumber - 1] ?? new Uint8Array();
      const { status } = await post("upload-session/append", { key, partNumber: String(partNumber), file });
      expect(status).toBe(200);
    }
  }
  const end = (key: string, signal?: AbortSignal) => post("upload-session/end", { key }, signal);
  const receivedNumbers = async (key: string): Promise<unknown[]> => {
    const { parts } = (await send(`upload-session/${key}`)).data;
    return Array.isArray(parts) ? parts.map(({ partNumber }) => partNumber) : [];
  };

  /** The contents of the blob store, by the folders of uploads. */
  async function stored(): Promise<Record<"parts" | "originals" | "tmp", number>> {
    const count = async (folder: string): Promise<number> =>
      (await readdir(join(dataDir, "blobs", folder)).catch(() => [])).length;
    return { parts: await count("parts"), originals: await count("originals"), tmp: await count("tmp") };
  }
  const soonStored = (expected: Awaited<ReturnType<typeof stored>>) =>
    expect.poll(stored, { timeout: 10_000 }).toEqual(expected);

  async function restart(): Promise<void> {
    await server.kill();
    server = await startServerProcess(dataDir);
  }

  /** The session has become one dataset, which is the book, and nothing else is left of it. */
  async function isTheBook(ended: Answer): Promise<void> {
    expect(ended.status).toBe(200);
    const jobs = await fetch(`${server.url}/v1/jobs/${String(ended.data["id"])}/watch`, {
      headers: { "x-api-key": apiKey },
    });
    expect(await jobs.text()).toContain('"status":"SUCCESS"');
    const sha256 = createHash("sha256").update(book).digest("hex");
    const datasets = await send("datasets");
    expect(datasets.data).toMatchObject([{ id: ended.data["datasetId"], sha256, itemCount: 2 }]);
    await soonStored({ parts: 0, originals: 1, tmp: 0 });
  }

  /** Sends some of part 2, and no more. */
  async function sendHalfAPart(key: string): Promise<void> {
    const part = (head: string, body: string): string =>
      `--b\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${body}\r\n`;
    const half = part('"file"; filename="part"', "x".repeat(1_000_000));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(part('"key"', key) + part('"partNumber"', "2") + half));
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const request = { method: "POST", body, headers, duplex: "half" as const };
    void send("upload-session/append", request).catch(() => undefined);
    await expect.poll(async () => (await stored()).tmp, { timeout: 10_000 }).toBe(1);
  }

  /** The client goes away so long after it has asked for the end. */
  async function endAndGo(key: string, afterMs: number): Promise<void> {
    const client = new AbortController();
    const ending = end(key, client.signal).catch(() => undefined);
    await sleep(afterMs);
    client.abort();
    await ending;
  }

  test("outlives a kill of the server: no answered part is lost, of the others nothing stays", async () => {
    const key = await start();
    await append(key, 1, 3);
    await sendHalfAPart(key);
    await restart();
    expect(await receivedNumbers(key)).toEqual([1, 3]);
    await soonStored({ parts: 2, originals: 0, tmp: 0 });
    await append(key, 4, 2);
    await isTheBook(await end(key));
  });

  test("becomes one dataset, however often the server is killed while it ends", async () => {
    const key = await start();
    await append(key, 1, 2, 3, 4);
    for (const pause of [0, 5, 15, 30]) {
      const ending = end(key).catch(() => undefined);
      await sleep(pause);
      await restart();
      await ending;
    }
    const ended = await end(key);
    expect(ended.status).toBe(200);
    await isTheBook(ended);
  });

  test("goes on to its end when the client goes away, and the next end answers with its job", async () => {
    const key = await start();
    await append(key, 1, 2, 3, 4);
    for (const afterMs of [5, 20, 60]) await endAndGo(key, afterMs);
    const [ended, again] = [await end(key), await end(key)];
    expect(again.data["id"]).toBe(ended.data["id"]);
    await isTheBook(ended);
  });

  test("is not harmed when the server is stopped while it ends", async () => {
    const key = await start();
    await append(key, 1, 2, 3, 4);
    await endAndGo(key, 15);
    expect(await server.terminate()).toBe(0);
    server = await startServerProcess(dataDir);
    await isTheBook(await end(key));
  });

  test("leaves no byte when it is aborted", async () => {
    const key = await start();
    await append(key, 1, 2, 2, 4);
    await soonStored({ parts: 3, originals: 0, tmp: 0 });
    expect((await post("upload-session/abort", { key })).status).toBe(200);
    await soonStored({ parts: 0, originals: 0, tmp: 0 });
  });

  test("leaves no byte when its time is over", async () => {
    const [key, other] = [await start(), await start()];
    await append(key, 1, 2);
    await append(other, 1);
    const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { timeout: 5_000 });
    database.prepare("update uploads set expiresAt = ? where key = ?").run(Date.now(), key);
    database.close();
    expect((await send(`upload-session/${key}`)).status).toBe(404);
    expect((await end(key)).status).toBe(404);
    await soonStored({ parts: 1, originals: 0, tmp: 0 });
    expect(await receivedNumbers(other)).toEqual([1]);
  });

  test("leaves no byte of a part or document that is refused", async () => {
    const key = await start();
    const file = bookParts[1] ?? new Uint8Array();
    const refused = await post("upload-session/append", { file, key, partNumber: "2", checksum: "ab".repeat(32) });
    expect(refused.status).toBe(400);
    expect((await post("upload-session/append", { file, key, partNumber: "1" })).status).toBe(415);
    expect((await post("upload-session/append", { file, key: "tmp_x", partNumber: "2" })).status).toBe(404);
    await soonStored({ parts: 0, originals: 0, tmp: 0 });
    await append(key, 1);
    expect((await post("upload-session/end", { key, checksum: "ab".repeat(32) })).status).toBe(400);
    await soonStored({ parts: 1, originals: 0, tmp: 0 });
  });
});
