import { expect, test } from "vitest";
import type { PageFailure } from "../../domain/jobs/job.ts";
import { runBatches } from "./batches.ts";
import { reasons } from "../errors.ts";
import type { MemoryGate } from "./memory-gate.ts";
import type { PageRead, ThreadAnswer, ThreadTask } from "./tasks.ts";
import type { Stopped, TaskOptions, Threads } from "./threads.ts";

const limits = { threads: 2, pageTimeoutMs: 5000, maxRssBytes: 100 * 2 ** 20 };
const never = new AbortController().signal;

/** A fake thread, which gets the pages of a batch and a function that reports a page as read. */
type Script = (pages: readonly number[], done: (page: number) => void, alone: boolean) => Stopped | undefined;

async function run(pages: readonly number[], script: Script, signal?: AbortSignal, onPage?: (page: number) => void) {
  let alone = false;
  const gate: MemoryGate = {
    beside: (work) => work(never),
    async alone(work) {
      alone = true;
      return work(never).finally(() => (alone = false));
    },
  };
  const threads: Threads = {
    restart: async () => {},
    finishPages: () => undefined,
    renew: async () => {},
    close: async () => {},
    async run(task: ThreadTask, options: TaskOptions): Promise<ThreadAnswer | Stopped> {
      options.signal?.throwIfAborted();
      if (task.kind !== "read") throw new Error("not in this test");
      const read: number[] = [];
      const stopped = script(task.pages, (page) => read.push(page), alone);
      for (const page of read) await options.onReport?.({ read: { page, width: 1, height: 1, words: "" } });
      return stopped ?? { kind: "done" };
    },
  };
  const results: (PageRead | PageFailure)[] = [];
  const started: (readonly number[])[] = [];
  await runBatches(threads, gate, limits, {
    pages,
    task: (batch) => ({ kind: "read", file: "f", pages: batch }),
    resultOf: (report) => ("read" in report ? report.read : undefined),
    on: {
      start: (batch) => void started.push(batch),
      page(result) {
        onPage?.(result.page);
        results.push(result);
      },
    },
    signal,
  });
  const failed = results.flatMap((result) => ("reason" in result ? [result] : []));
  return { pages: results.map(({ page }) => page).sort((a, b) => a - b), failed, started };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const readAll: Script = (pages, done) => {
  for (const page of pages) done(page);
  return undefined;
};

/** Reads all pages before the one where it stops. */
const stopAt = (culprit: number, why: Stopped["why"], pages: readonly number[], done: (page: number) => void) => {
  for (const page of pages) {
    if (page === culprit) return { kind: "stopped", why, at: page } as const;
    done(page);
  }
  return undefined;
};

test("every page once, in batches that are announced before", async () => {
  const { pages, failed, started } = await run(upTo(40), readAll);
  expect(pages).toEqual(upTo(40));
  expect(failed).toEqual([]);
  expect(started.flat().sort((a, b) => a - b)).toEqual(upTo(40));
  expect(started.every((batch) => batch.length <= 16)).toBe(true);
});

test("no pages, no threads", async () => {
  expect((await run([], () => expect.unreachable())).pages).toEqual([]);
});

test("the page that took too long fails, the rest goes on", async () => {
  const { pages, failed } = await run(upTo(20), (batch, done) => stopAt(7, "time", batch, done));
  expect(pages).toEqual(upTo(20));
  expect(failed).toEqual([{ page: 7, reason: reasons.time(5000) }]);
});

test("a suspect of memory is tried alone, and cleared", async () => {
  const { pages, failed } = await run(upTo(20), (batch, done, alone) =>
    alone ? readAll(batch, done, alone) : stopAt(7, "memory", batch, done),
  );
  expect(pages).toEqual(upTo(20));
  expect(failed).toEqual([]);
});

test.each([
  ["memory", reasons.memory(limits.maxRssBytes)],
  ["crash", reasons.crash],
] as const)("a page that ends alone by %s fails", async (why, reason) => {
  const { pages, failed } = await run(upTo(20), (batch, done) => stopAt(7, why, batch, done));
  expect(pages).toEqual(upTo(20));
  expect(failed).toEqual([{ page: 7, reason }]);
});

test("a batch that had not begun when all was stopped is tried again", async () => {
  let first = true;
  const { pages, failed } = await run(upTo(3), (batch, done, alone) => {
    if (!first) return readAll(batch, done, alone);
    first = false;
    return { kind: "stopped", why: "memory", at: undefined };
  });
  expect(pages).toEqual(upTo(3));
  expect(failed).toEqual([]);
});

test("a thread that ends early gets the rest of its batch again", async () => {
  const { pages } = await run(upTo(20), (batch, done) => {
    done(batch[0] ?? 0);
    return undefined;
  });
  expect(pages).toEqual(upTo(20));
});

test("threads that cannot start are an error of ours, not of the pages", async () => {
  const cause = new Error("no such module");
  await expect(run(upTo(3), () => ({ kind: "stopped", why: "crash", at: undefined, cause }))).rejects.toBe(cause);
});

test("a listener's failure ends the work", async () => {
  const failure = new Error("the store is gone");
  const seen: number[] = [];
  const onPage = (page: number): void => {
    seen.push(page);
    if (page === 3) throw failure;
  };
  await expect(run(upTo(100), readAll, undefined, onPage)).rejects.toBe(failure);
  expect(seen.length).toBeLessThan(100);
});

test("cancelling rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("cancelled");
  const onPage = (page: number): void => {
    if (page === 3) controller.abort(reason);
  };
  await expect(run(upTo(100), readAll, controller.signal, onPage)).rejects.toBe(reason);
});
