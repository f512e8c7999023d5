import { renderToString } from "ink";
import { createElement } from "react";
import { expect, test } from "vitest";
import { CliError } from "../failures.ts";
import { exitCodes } from "../exit-codes.ts";
import { plainStyle } from "../terminal/style.ts";
import { sparkline } from "../output/amounts.ts";
import { snapshotLines } from "./lines.ts";
import { ScreenLines } from "./screen.ts";
import { parseState, snapshotOf, type State } from "./snapshot.ts";
import { lookOnce, type View, watchState } from "./watch.ts";

const metric = (name: string, value: number, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  value,
  labels,
});

function stateAt(seconds: number, pages: number): State {
  const type = "datasets/extract";
  return {
    at: seconds * 1000,
    metrics: [
      metric("drs_queue_jobs", 7, { type, stage: "queue", state: "waiting" }),
      metric("drs_queue_jobs", 2, { type, stage: "read", state: "working" }),
      metric("drs_queue_oldest_age_seconds", 754.5, { type, stage: "queue", state: "waiting" }),
      metric("drs_queue_workers", 3),
      metric("drs_pages_total", pages, { stage: "read", result: "succeeded", reason: "" }),
      metric("drs_pages_total", 2, { stage: "read", result: "failed", reason: "time" }),
      metric("drs_jobs_total", 4, { type, result: "failed", reason: "encrypted" }),
      metric("drs_jobs_total", 1, { type: "datasets/vectorize", result: "failed", reason: "encrypted" }),
      metric("drs_jobs_total", 90, { type, result: "succeeded", reason: "" }),
      metric("drs_worker_up", 1),
      metric("drs_worker_memory_bytes", 500e6),
      metric("drs_worker_restarts_total", 1, { reason: "memory" }),
      metric("drs_disk_free_bytes", 5e9),
      metric("drs_disk_size_bytes", 100e9),
      metric("drs_sample_up", 0, { sample: "renditions" }),
      metric("process_resident_memory_bytes", 200e6),
    ],
    jobs: [
      {
        id: "dsj_1",
        workspaceId: "ws_1",
        type,
        stage: "read",
        state: "working",
        pagesDone: 5,
        pagesTotal: 90,
        tries: 0,
        worker: "host:1:abc",
        ageMs: 3_600_000,
        unchangedMs: 700_000,
      },
      {
        id: "dsj_2",
        workspaceId: "ws_2",
        type,
        stage: "queue",
        state: "waiting",
        pagesDone: 0,
        pagesTotal: 0,
        tries: 2,
        worker: null,
        ageMs: 90_000,
        unchangedMs: 90_000,
      },
    ],
  };
}

test("a snapshot has rates, sums by reason, and what the server could not read", () => {
  const snapshot = snapshotOf(stateAt(20, 250), stateAt(10, 100));
  expect(snapshot).toMatchObject({
    queue: [
      { stage: "queue", state: "waiting", count: 7, ageMs: 754_500 },
      { stage: "read", state: "working", count: 2, ageMs: 0 },
    ],
    workers: 3,
    pagesPerSecond: { read: 15, render: 0, embed: 0 },
    failures: [
      { what: "job", reason: "encrypted", count: 5 },
      { what: "page", stage: "read", reason: "time", count: 2 },
    ],
    cache: undefined,
    unread: ["renditions"],
  });
  // There is no rate for a single state, or after a restart of the server.
  expect(snapshotOf(stateAt(20, 250)).pagesPerSecond).toBeUndefined();
  expect(snapshotOf(stateAt(20, 3), stateAt(10, 100)).pagesPerSecond).toBeUndefined();
});

test("a snapshot is shown as tables", () => {
  const snapshot = snapshotOf(stateAt(20, 250), stateAt(10, 100));
  const lines = snapshotLines(snapshot, { style: plainStyle, rates: [0, 7.5, 15], maxJobs: 1 });
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "pages per second: 15.0 read, 0.0 embedded  ▁▅█",
    "worker ready, 500 MB, replaced 1×; API 200 MB; 3 worker processes have jobs",
    "disk 5.0 GB of 100 GB free; cache ?; lapsed claims 0",
    "the server cannot read: renditions",
    "",
    "STAGE  STATE  TYPE  JOBS  UNCHANGED FOR",
    "queue  waiting  datasets/extract  7  12 min 35 s",
    "read  working  datasets/extract  2  less than a second",
    "",
    "FAILED  REASON  COUNT",
    "job  encrypted  5",
    "page (read)  time  2",
    "",
    "OLDEST JOBS  STAGE  STATE  PAGES  AGE  UNCHANGED FOR  TRIES  WORKER  WORKSPACE",
    "dsj_1  read  working  5 of 90  1 h  11 min 40 s  0  host:1:abc  ws_1",
    "1 more",
  ]);
  expect(sparkline([0, 0])).toBe("▁▁");
});

test("the screen never has more lines than the terminal", () => {
  const view: View = { snapshot: snapshotOf(stateAt(20, 250)), rates: [], trouble: "the server is away" };
  for (const rows of [3, 8, 24]) {
    const props = { view, server: "http://drs.example", style: { ...plainStyle, columns: 60 }, rows };
    const lines = renderToString(createElement(ScreenLines, props), { columns: 60 }).split("\n");
    expect(lines.length).toBeLessThan(rows);
    expect(lines[0]).toContain("http://drs.example");
    expect(lines.at(-1)).toBe("q quits");
    if (rows > 3) expect(lines[1]).toBe("no answer: the server is away");
  }
});

test("an answer of another shape is not taken for a state", () => {
  expect(parseState(structuredClone(stateAt(1, 1)))).toEqual(stateAt(1, 1));
  for (const wrong of [undefined, [], {}, { ...stateAt(1, 1), jobs: [{}] }, { ...stateAt(1, 1), metrics: [1] }]) {
    expect(() => parseState(wrong)).toThrow("another version");
  }
});

const never = new AbortController().signal;

test("one look has rates", async () => {
  const states = [stateAt(10, 100), stateAt(12, 120)];
  expect(await lookOnce(async () => states.shift(), never, 1)).toMatchObject({ pagesPerSecond: { read: 10 } });
});

test("a server that goes away is asked again, a key that does not suffice ends it", async () => {
  const views: View[] = [];
  const answers: (() => State)[] = [
    () => stateAt(10, 100),
    () => {
      throw new CliError("it is being restarted");
    },
    () => stateAt(12, 120),
    () => {
      throw new CliError("the key was revoked", { exitCode: exitCodes.auth });
    },
  ];
  const ask = async (): Promise<unknown> => answers.shift()?.();
  const watching = watchState(ask, { everyMs: 1, signal: never, show: (view) => views.push(view) });
  await expect(watching).rejects.toThrow("the key was revoked");
  expect(views.map(({ trouble, rates }) => [trouble, ...rates])).toEqual([
    [undefined],
    ["it is being restarted"],
    [undefined, 10],
  ]);
});
