import { getPriority } from "node:os";
import { createDrs, type Drs } from "@drs/client";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { childrenOf, isRunning } from "../service/children.ts";
import { startServer, type TestServer } from "../service/start.ts";

const pageCount = 120;
/** One word per page that no stemmer changes. */
const wordOf = (page: number): string =>
  `chapter${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;
const document = makePdf({
  pages: Array.from({ length: pageCount }, (_, index) => ({
    text: `Chapter ${index + 1}\nAbout ${wordOf(index + 1)}.`,
  })),
});

let server: TestServer;
let drs: Drs;
afterEach(() => server.remove());

async function start(...parameters: Parameters<typeof startServer>): Promise<void> {
  server = await startServer(...parameters);
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  await expect.poll(readiness, { timeout: 30_000 }).toBe("ok");
}

const workers = (): readonly number[] => childrenOf(process.pid, "worker-process");

async function readiness(): Promise<string> {
  // Only the operator sees the reasons.
  const headers = { "x-api-key": server.credentials.apiKey };
  const answer = await fetch(`${server.url}/readyz`, { headers });
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return checks["worker"] ?? "";
}

/** The value of a line of /metrics, such as `drs_worker_up`. */
async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((candidate) => candidate.startsWith(`${line} `))
      ?.slice(line.length),
  );
}

async function pagesDone(id: string): Promise<number> {
  const { progress } = await drs.jobs.get(id);
  return progress.pagesDone;
}

describe("a worker that does not answer", () => {
  test("is replaced, and its job goes on", async () => {
    await start({}, { pace: { pingMs: 1_000, maxMisses: 10 } });
    const upload = await drs.datasets.upload(document, { fileName: "long.pdf", vectorize: true });
    await expect.poll(() => pagesDone(upload.id), { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
    const [frozen = 0] = workers();
    expect(getPriority(frozen)).toBe(Math.min(19, getPriority() + 5));
    process.kill(frozen, "SIGSTOP");
    await expect.poll(readiness, { timeout: 30_000, interval: 50 }).toBe("not answering");
    expect(await metric("drs_worker_up")).toBe(0);
    await expect.poll(() => isRunning(frozen), { timeout: 60_000 }).toBe(false);
    expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    expect((await drs.search(wordOf(7)))[0]).toMatchObject({ col: 7 });
    expect(await readiness()).toBe("ok");
    expect(await metric('drs_worker_restarts_total{reason="hung"}')).toBe(1);
    expect(await metric('drs_worker_restarts_total{reason="killed"}')).toBe(0);
    expect(await metric("drs_worker_missed_pings_total")).toBeGreaterThanOrEqual(10);
    expect(await metric("drs_worker_up")).toBe(1);
    await expect.poll(() => metric("drs_worker_memory_bytes")).toBeGreaterThan(10 * 2 ** 20);
  }, 180_000);

  test("keeps callers waiting for no longer than a call may take", async () => {
    await start({}, { pace: { pingMs: 60_000, callMs: 5_000 } });
    // Loading the pack for the first search may take longer than a call may here.
    const search = () => drs.search("anything").then(({ length }) => length, String);
    await expect.poll(search, { timeout: 60_000 }).toBe(0);
    const [frozen = 0] = workers();
    process.kill(frozen, "SIGSTOP");
    await expect(drs.search("anything")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("took too long"),
    });
    process.kill(frozen, "SIGCONT");
    await expect.poll(search, { timeout: 60_000 }).toBe(0);
    expect(workers()).toEqual([frozen]);
  }, 180_000);
});

/** The picture of a page that takes some seconds to draw, or minutes with more operators, so that kills hit it. */
async function slowPicture(operators = 200): Promise<string> {
  const noise = {
    width: 600,
    height: 600,
    pixel: (x: number, y: number) => [x % 256, y % 256, (x * y) % 256] as const,
  };
  const slow = { picture: noise, operators: `q 595 0 0 842 0 0 cm ${"/Im1 Do ".repeat(operators)} Q` };
  const upload = await drs.datasets.upload(makePdf({ pages: [slow] }), { fileName: "slow.pdf" });
  expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS" });
  const [item] = await Array.fromAsync(drs.items.list(upload.datasetId, { row: "jpg" }));
  return item?.share?.url ?? "";
}

/** Asks for a page while workers are ended in the middle of it. */
async function askWhileEnding(url: string, ends: number, signal: "SIGKILL" | "SIGSEGV"): Promise<Response> {
  // Asked for once: it is the server that asks again.
  const answer = fetch(url);
  let answered = false;
  void answer.then(() => (answered = true));
  const ended = new Set<number>();
  while (ended.size < ends) {
    await sleep(300);
    const [pid] = workers();
    if (pid === undefined || ended.has(pid) || (await readiness()) !== "ok") continue;
    expect(answered).toBe(false);
    ended.add(pid);
    process.kill(pid, signal);
  }
  return answer;
}

describe("kills of the worker from outside", () => {
  test("cost callers time, and nothing else", async () => {
    await start({ pageTimeoutMs: "170000" });
    const answer = await askWhileEnding(await slowPicture(), 4, "SIGKILL");
    expect(answer.status).toBe(200);
    expect(await metric('drs_worker_restarts_total{reason="killed"}')).toBe(4);
    expect(await metric('drs_worker_restarts_total{reason="fault"}')).toBe(0);
  }, 180_000);
});

describe("a page that is asked for while workers crash", () => {
  const trials = (): readonly number[] => workers().flatMap((worker) => childrenOf(worker, "trial-process"));

  test("is drawn in a trial process, and does not fail for a crash that it did not cause", async () => {
    await start({ pageTimeoutMs: "170000" });
    const answer = await askWhileEnding(await slowPicture(), 3, "SIGSEGV");
    expect(answer.status).toBe(200);
    expect(await metric('drs_worker_restarts_total{reason="fault"}')).toBe(3);
  }, 180_000);

  test("is refused when it crashes its trial process, and no other worker ends", async () => {
    await start({ pageTimeoutMs: "170000" });
    const url = await slowPicture(20_000);
    const answer = askWhileEnding(url, 1, "SIGSEGV");
    for (let crashes = 0; crashes < 2; crashes++) {
      await expect.poll(trials, { timeout: 60_000 }).toHaveLength(1);
      const [pid = 0] = trials();
      // It must have come as far as the page.
      await sleep(4_000);
      process.kill(pid, "SIGSEGV");
      await expect.poll(() => isRunning(pid)).toBe(false);
    }
    const refused = await answer;
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("crashed twice (SIGSEGV)");
    expect(await metric('drs_worker_restarts_total{reason="fault"}')).toBe(1);
    // It is not drawn again for the next request.
    expect((await fetch(url)).status).toBe(422);
    expect(trials()).toEqual([]);
  }, 180_000);
});

describe("a worker that holds more memory than it may", () => {
  test("is replaced while jobs run and searches come, and nothing fails", async () => {
    const memory = { lookMs: 100, looks: 5, renewedMs: 60_000 };
    // Less than embedding takes, and with what pages may take above it more than that.
    await start({ workerMemoryBytes: "300MB" }, { pace: { memory, replaceMs: 600_000 } });
    const [first = 0] = workers();
    const uploads = await Promise.all(
      ["one.pdf", "two.pdf"].map((fileName) => drs.datasets.upload(document, { fileName, vectorize: true })),
    );
    const enough = new AbortController();
    const searching = (async () => {
      let searches = 0;
      for (; !enough.signal.aborted; searches += 1) {
        await drs.search(wordOf(1 + (searches % pageCount)));
        await sleep(250);
      }
      return searches;
    })();
    searching.catch(() => undefined);
    const ends = await Promise.all(uploads.map(({ id }) => drs.jobs.wait(id)));
    await expect
      .poll(() => metric('drs_worker_restarts_total{reason="memory"}'), { timeout: 60_000 })
      .toBeGreaterThan(0);
    enough.abort();
    expect(await searching).toBeGreaterThan(3);
    for (const end of ends) expect(end).toMatchObject({ status: "SUCCESS", failures: [] });
    // Not killed, but finished and gone.
    await expect.poll(() => isRunning(first), { timeout: 60_000 }).toBe(false);
    for (const reason of ["fault", "killed", "exit", "hung", "start"]) {
      expect(await metric(`drs_worker_restarts_total{reason="${reason}"}`)).toBe(0);
    }
    expect((await drs.search(wordOf(7)))[0]).toMatchObject({ col: 7 });
  }, 180_000);
});
