import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import {
  createIsolatedRetries,
  type IsolatedRetries,
  type IsolatedRetryOptions,
} from "../../server/pipeline/process/isolated-retry/trials.ts";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { reasons } from "../../server/pipeline/errors.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { childrenOf, isRunning, socketsOf } from "../service/children.ts";

const log = pino({ level: "silent" });
const pageTimeoutMs = 30_000;
const maxRssBytes = 1_500 * 2 ** 20;
const deadly = new URL("./isolated-retry/trial-that-dies.ts", import.meta.url);

let folder: string;
let plain: string;
/** Its page is at work for most of a second. */
let slow: string;
/** Its page is at work for minutes. */
let endless: string;
let locked: string;
let trials: IsolatedRetries | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-trials-"));
  const make = async (name: string, bytes: Buffer): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  };
  const pages = [{ text: "page 1" }, { text: "page 2" }];
  plain = await make("plain.pdf", makePdf({ pages }));
  locked = await make("locked.pdf", makePdf({ pages, encrypted: true }));
  const much = (times: number): string => `BT /F1 8 Tf ${"1 0 0 1 100 100 Tm (abcdefghij) Tj ".repeat(times)} ET`;
  slow = await make("slow.pdf", makePdf({ pages: [{ operators: much(500_000) }] }));
  const noise = {
    width: 600,
    height: 600,
    pixel: (x: number, y: number) => [x % 256, y % 256, (x * y) % 256] as const,
  };
  const operators = `q 595 0 0 842 0 0 cm ${"/Im1 Do ".repeat(20_000)} Q`;
  endless = await make("endless.pdf", makePdf({ pages: [{ picture: noise, operators }] }));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await trials?.close();
});
afterAll(() => rm(folder, { recursive: true }));

function start(options: Partial<IsolatedRetryOptions> = {}): IsolatedRetries {
  trials = createIsolatedRetries({ log, pageTimeoutMs, maxRssBytes, ...options });
  return trials;
}

const trialPids = (parent = process.pid): readonly number[] =>
  childrenOf(parent, "isolated-retry/trial-process|trial-that-dies");

/** A plain document under a name that says what becomes of its process. */
async function named(fate: string): Promise<string> {
  const path = join(folder, `${fate}.pdf`);
  await copyFile(plain, path);
  return path;
}

describe("a trial process does what the pool does", () => {
  test("counts, reads, draws and embeds, one page after another in the same process", async () => {
    const { countPages, readPage, renderPage, embedPage } = start();
    expect(await countPages(plain)).toBe(2);
    const first = trialPids();
    expect(first).toHaveLength(1);
    expect(await readPage({ file: plain, page: 2 })).toEqual({ page: 2, width: 595, height: 842, words: "page 2" });
    const jpeg = await renderPage({ file: plain, page: 1, row: "jpg" });
    expect(Buffer.from(jpeg.subarray(0, 2)).toString("hex")).toBe("ffd8");
    const packDir = resolvePackDir("builtin");
    const embedded = await embedPage({ file: plain, page: 1, words: "page 1", packDir });
    if ("reason" in embedded) expect.unreachable(embedded.reason);
    expect(embedded.spaces.map(({ kind }) => kind)).toContain("lexical");
    const dense = embedded.spaces.flatMap((space) => (space.kind === "dense" ? space.vectors : []));
    expect(dense[0]).toBeInstanceOf(Float32Array);
    expect(trialPids()).toEqual(first);
  });

  test("errors keep their type", async () => {
    const { countPages, renderPage, readPage, embedPage } = start();
    await expect(countPages(locked)).rejects.toMatchObject({ name: "DocumentError", fault: "encrypted" });
    await expect(renderPage({ file: plain, page: 3, row: "pdf" })).rejects.toMatchObject({
      name: "PageError",
      page: 3,
    });
    expect(await readPage({ file: plain, page: 3 })).toMatchObject({ page: 3, reason: expect.any(String) });
    await expect(embedPage({ file: plain, page: 1, words: "", packDir: folder })).rejects.toMatchObject({
      name: "DomainError",
      kind: "unprocessable",
    });
  });

  test("a page that takes too long fails, and the next one is read", async () => {
    const { renderPage, readPage } = start({ pageTimeoutMs: 500 });
    const drawing = renderPage({ file: endless, page: 1, row: "jpg" });
    await expect(drawing).rejects.toMatchObject({ name: "PageError", message: reasons.time(500) });
    expect(await readPage({ file: plain, page: 1 })).toMatchObject({ words: "page 1" });
  });
});

describe("a page fails by its own fault", () => {
  test.each([
    ["segfault", "SIGSEGV"],
    ["abort", "SIGABRT"],
    ["exit-134", "SIGABRT"],
    ["heap", "SIGABRT"],
  ])("%s", async (fate, what) => {
    // Of the process's own heap, so that it is full before the process has outgrown its bound.
    vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=100");
    const { readPage, countPages } = start({ entry: deadly });
    const file = await named(fate);
    const reason = `the process that read this page crashed twice (${what})`;
    expect(await readPage({ file, page: 1 })).toEqual({ page: 1, reason });
    await expect(countPages(file)).rejects.toMatchObject({
      name: "DocumentError",
      message: `the process that opened this document crashed twice (${what})`,
    });
    // The next suspect is processed as usual.
    expect(await readPage({ file: plain, page: 1 })).toMatchObject({ words: "page 1" });
  });

  test("memory that grows where no thread can be stopped", async () => {
    const { readPage } = start({ entry: deadly, maxRssBytes: 300 * 2 ** 20 });
    const file = await named("grow");
    expect(await readPage({ file, page: 1 })).toEqual({ page: 1, reason: reasons.memory(300 * 2 ** 20) });
  });

  test("time that passes where no thread can be stopped", async () => {
    const { readPage } = start({ entry: deadly, pageTimeoutMs: 300, startTimeoutMs: 5_000 });
    const file = await named("hang");
    expect(await readPage({ file, page: 1 })).toEqual({ page: 1, reason: reasons.time(300) });
  });

  test("one crash is not enough", async () => {
    const { readPage } = start({ entry: deadly });
    expect(await readPage({ file: await named("segfault-once"), page: 1 })).toMatchObject({ words: "page 1" });
  });
});

describe("a page does not fail by deaths from outside", () => {
  test("twenty kills at random", async () => {
    const { readPage } = start();
    const enough = new AbortController();
    const killing = (async () => {
      for (let kills = 0; kills < 20;) {
        await sleep(Math.random() * 700);
        for (const pid of trialPids()) {
          process.kill(pid, "SIGKILL");
          kills += 1;
        }
      }
      enough.abort();
    })();
    const results: unknown[] = [];
    do results.push(await readPage({ file: slow, page: 1 }));
    while (!enough.signal.aborted);
    await killing;
    for (const result of results)
      expect(result).toMatchObject({ page: 1, words: expect.stringContaining("abcdefghij") });
  }, 240_000);

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s, more often than a page may crash", async (signal) => {
    const { readPage } = start();
    const reading = readPage({ file: slow, page: 1 });
    const killed = new Set<number>();
    while (killed.size < 3) {
      const [pid] = trialPids();
      if (pid !== undefined && !killed.has(pid)) {
        killed.add(pid);
        process.kill(pid, signal);
      }
      await sleep(20);
    }
    expect(await reading).toMatchObject({ words: expect.stringContaining("abcdefghij") });
  });

  test("a clean exit, until the job fails the page", async () => {
    const { readPage } = start({ entry: deadly });
    const giveUp = new AbortController();
    const reading = readPage({ file: await named("exit-0"), page: 1 }, giveUp.signal);
    let ended = false;
    reading.catch(() => (ended = true));
    const seen = new Set<number>();
    while (seen.size < 4) {
      for (const pid of trialPids()) seen.add(pid);
      expect(ended).toBe(false);
      await sleep(20);
    }
    giveUp.abort(new Error("cancelled"));
    await expect(reading).rejects.toThrow("cancelled");
  });

  test.skipIf(process.platform !== "linux")("a process that is halted (Linux only)", async () => {
    const { readPage } = start({ entry: deadly, pageTimeoutMs: 300, startTimeoutMs: 4_000 });
    const reading = readPage({ file: slow, page: 1 });
    reading.catch(() => undefined);
    await expect.poll(() => trialPids().length).toBe(1);
    const [halted = 0] = trialPids();
    process.kill(halted, "SIGSTOP");
    await expect.poll(() => isRunning(halted), { timeout: 20_000 }).toBe(false);
    // Its time-out is shorter than the page takes: the verdict is the pool's, not one over the halt.
    expect(await reading).toMatchObject({ page: 1, reason: reasons.time(300) });
  });
});

describe("a trial process ends when it is not needed", () => {
  test("cancelling ends it", async () => {
    const { renderPage } = start({ pageTimeoutMs: 600_000 });
    const cancel = new AbortController();
    const drawing = renderPage({ file: endless, page: 1, row: "jpg" }, cancel.signal);
    await expect.poll(() => trialPids().length).toBe(1);
    cancel.abort(new Error("cancelled"));
    await expect(drawing).rejects.toThrow("cancelled");
    expect(trialPids()).toEqual([]);
  });

  test("it ends when it is idle, and when the trials are closed", async () => {
    const { countPages, close } = start({ idleMs: 100 });
    await countPages(plain);
    await expect.poll(() => trialPids()).toEqual([]);
    await countPages(plain);
    await close();
    expect(trialPids()).toEqual([]);
    await expect(countPages(plain)).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("it ends with its parent, also in the middle of a page", async () => {
    const path = fileURLToPath(new URL("./isolated-retry/trial-parent.ts", import.meta.url));
    const parent = fork(path, [endless], { execArgv: [] });
    const { pid = 0 } = parent;
    await expect.poll(() => trialPids(pid).length, { timeout: 20_000 }).toBe(1);
    const [trial = 0] = trialPids(pid);
    await sleep(500);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await expect.poll(() => isRunning(trial)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")("it inherits no socket (Linux only)", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { countPages } = start();
    await countPages(plain);
    const [pid = 0] = trialPids();
    const ours = new Set(socketsOf(process.pid));
    expect(ours.size).toBeGreaterThan(0);
    expect(socketsOf(pid).filter((socket) => ours.has(socket))).toEqual([]);
    server.close();
  });

  test("a process that does not start fails no page", async () => {
    const { readPage } = start({ entry: new URL("file:///nowhere/trial.ts") });
    await expect(readPage({ file: plain, page: 1 })).rejects.toMatchObject({ kind: "unavailable" });
  });
});
