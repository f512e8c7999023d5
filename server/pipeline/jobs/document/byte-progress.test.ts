import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ByteProgress } from "../../../domain/jobs/job.ts";
import { countBytes } from "./fetch.ts";

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
