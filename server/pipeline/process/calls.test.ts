import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { type Calls, createCalls, deadlineMs, type Link } from "./calls.ts";
import type { ToWorker, WorkerCall } from "./messages.ts";

const pageTimeoutMs = 30_000;
const query: WorkerCall = { method: "embedQuery", query: { pack: "a@1.0.0", text: "bees" } };
const answer = { method: "embedQuery", query: [] } as const;

/** A fake worker. */
function worker(): Link & { readonly heard: ToWorker[] } {
  const heard: ToWorker[] = [];
  return { heard, send: (message) => void heard.push(message) };
}

function idOf(message: ToWorker | undefined): number {
  return message?.kind === "call" ? message.id : expect.unreachable();
}

let calls: Calls;
beforeEach(() => {
  vi.useFakeTimers();
  calls = createCalls({ pageTimeoutMs });
});
afterEach(() => void vi.useRealTimers());

test("a call waits for a worker, and is answered by it", async () => {
  const asked = calls.call(query);
  const link = worker();
  calls.attach(link);
  calls.receive({ kind: "result", id: idOf(link.heard[0]), result: answer });
  expect(await asked).toBe(answer);
});

test("a call whose worker is killed from outside, however often, is repeated", async () => {
  const asked = calls.call(query);
  for (let kills = 0; kills < 10; kills += 1) {
    const link = worker();
    calls.attach(link);
    expect(link.heard).toHaveLength(1);
    calls.detach(link, false);
  }
  const last = worker();
  calls.attach(last);
  calls.receive({ kind: "result", id: idOf(last.heard[0]), result: answer });
  expect(await asked).toBe(answer);
});

test("a call during which two workers crash fails", async () => {
  const asked = calls.call({ method: "tryPack", model: "bad" });
  for (const isFault of [true, false, true]) {
    const link = worker();
    calls.attach(link);
    calls.detach(link, isFault);
  }
  await expect(asked).rejects.toMatchObject({ kind: "unprocessable", message: expect.stringContaining("crashed") });
});

test("a page is drawn in isolation once a worker has crashed, and is not blamed for the crashes of others", async () => {
  const call: WorkerCall = { method: "render", page: { datasetId: newDatasetId(), page: 7, row: "jpg" } };
  const asked = calls.call(call);
  const heard: ToWorker[] = [];
  for (const isFault of [false, true, true, true]) {
    const link = worker();
    calls.attach(link);
    heard.push(...link.heard);
    calls.detach(link, isFault);
  }
  const last = worker();
  calls.attach(last);
  const suspect = { ...call, isSuspect: true };
  expect([...heard, ...last.heard]).toEqual(
    [call, call, suspect, suspect, suspect].map((sent) => ({ kind: "call", id: idOf(last.heard[0]), call: sent })),
  );
  calls.receive({ kind: "result", id: idOf(last.heard[0]), result: { method: "render" } });
  expect(await asked).toEqual({ method: "render" });
});

test("a call fails as unavailable if there is no worker for too long, even after one that has ended", async () => {
  const link = worker();
  calls.attach(link);
  const asked = calls.call(query);
  calls.detach(link, false);
  const refused = asked.catch((cause: unknown) => cause);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await refused).toMatchObject({ kind: "unavailable" });
});

test("a worker that does not answer in time is told that its answer is no longer wanted", async () => {
  const link = worker();
  calls.attach(link);
  const refused = calls.call(query).catch((cause: unknown) => cause);
  await vi.advanceTimersByTimeAsync(deadlineMs("embedQuery", pageTimeoutMs));
  expect(await refused).toMatchObject({ kind: "unavailable" });
  expect(link.heard.map(({ kind }) => kind)).toEqual(["call", "abort"]);
});

test("with a successor, new calls go to it and old ones stay until their worker ends", async () => {
  const [old, successor] = [worker(), worker()];
  calls.attach(old);
  const [first, second] = [calls.call(query), calls.call(query)];
  calls.attach(successor);
  const third = calls.call(query);
  expect([old.heard.length, successor.heard.length]).toEqual([2, 1]);
  calls.receive({ kind: "result", id: idOf(old.heard[0]), result: answer });
  expect(await first).toBe(answer);
  calls.detach(old, false);
  expect(successor.heard).toHaveLength(2);
  for (const message of successor.heard) calls.receive({ kind: "result", id: idOf(message), result: answer });
  expect(await Promise.all([second, third])).toEqual([answer, answer]);
});
