import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ByteProgress } from "../../../domain/jobs/job.ts";
import { countBytes, repeat } from "./fetch.ts";
import { invalid, unavailable } from "../../../domain/errors.ts";

async function* chunks(count: number, pauseMs: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    yield new Uint8Array(10);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

test("reports the start, and the last bytes of a burst", async () => {
  const told: ByteProgress[] = [];
  const counter = countBytes(async (bytes) => void told.push(bytes));
  const body = counter.count(chunks(50, 0), 1_000);
  for await (const chunk of body) expect(chunk).toHaveLength(10);
  await expect
    .poll(() => told)
    .toEqual([
      { done: 0, total: undefined },
      { done: 500, total: 1_000 },
    ]);
  await counter.stop();
});

test("reports nothing after it was stopped, and waits for the running report", async () => {
  let ended = 0;
  const counter = countBytes(async () => {
    await sleep(20);
    ended += 1;
  });
  await counter.stop();
  expect(ended).toBe(1);
  await Array.fromAsync(counter.count(chunks(2, 150), undefined));
  expect(ended).toBe(1);
});

test("a failed report does not end the count, and the next one follows", async () => {
  const told: number[] = [];
  const counter = countBytes(async ({ done }) => {
    told.push(done);
    throw new Error("the database is busy");
  });
  expect(await Array.fromAsync(counter.count(chunks(1, 0), undefined))).toHaveLength(1);
  await expect.poll(() => told).toEqual([0, 10]);
  await counter.stop();
});

const { signal } = new AbortController();

/** Fails as listed, then succeeds and returns the number of tries. */
function failing(...failures: Error[]) {
  let tries = 0;
  const attempt = (): Promise<string> => {
    const failure = failures[tries];
    tries += 1;
    return failure === undefined ? Promise.resolve("done") : Promise.reject(failure);
  };
  return { attempt, tries: () => tries };
}

test("a temporary failure is retried from the start", async () => {
  const { attempt, tries } = failing(unavailable("busy"), unavailable("busy"));
  expect(await repeat(attempt, { waitsMs: [1, 1], signal })).toBe("done");
  expect(tries()).toBe(3);
});

test("the last failure tells the number of tries", async () => {
  const { attempt, tries } = failing(unavailable("busy"), unavailable("away"), unavailable("never"));
  await expect(repeat(attempt, { waitsMs: [1], signal })).rejects.toMatchObject({
    kind: "unavailable",
    message: "away (tried 2 times)",
  });
  expect(tries()).toBe(2);
});

test.each([invalid("not there"), new Error("a bug")])("%s is final", async (failure) => {
  const { attempt, tries } = failing(failure);
  await expect(repeat(attempt, { waitsMs: [1, 1], signal })).rejects.toBe(failure);
  expect(tries()).toBe(1);
});

test("the signal ends the wait with its reason, and nothing is tried after it", async () => {
  const ending = new AbortController();
  const { attempt, tries } = failing(unavailable("busy"));
  const trying = repeat(attempt, { waitsMs: [600_000], signal: ending.signal });
  setTimeout(() => ending.abort(new Error("stopped")), 10);
  await expect(trying).rejects.toThrow("stopped");
  expect(tries()).toBe(1);
});
