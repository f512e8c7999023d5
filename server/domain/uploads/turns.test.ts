import { expect, test } from "vitest";
import { newUploadKey } from "../ids.ts";
import { createUploadTurns } from "./turns.ts";

const key = newUploadKey();
const { signal } = new AbortController();

test("runs work on one session in sequence, on different sessions in parallel", async () => {
  const turns = createUploadTurns();
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = turns.take(key, signal, async () => {
    await gate.promise;
    done.push("first");
    throw new Error("failed");
  });
  const second = turns.take(key, signal, async () => done.push("second"));
  await turns.take(newUploadKey(), signal, async () => done.push("other"));
  expect(done).toEqual(["other"]);
  gate.resolve();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(done).toEqual(["other", "first", "second"]);
});

test("goes on when the caller leaves, but begins nothing for a caller who has left", async () => {
  const turns = createUploadTurns();
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const client = new AbortController();
  const done: string[] = [];
  const running = turns.take(key, client.signal, async () => {
    begun.resolve();
    await gate.promise;
    done.push("running");
  });
  const waiting = turns.take(key, client.signal, async () => done.push("waiting"));
  await begun.promise;
  client.abort(new Error("gone"));
  await expect(running).rejects.toThrow("gone");
  await expect(waiting).rejects.toThrow("gone");
  const next = turns.take(key, signal, async () => done.push("next"));
  gate.resolve();
  await next;
  expect(done).toEqual(["running", "next"]);
});

test("closing aborts the running work and waits for its end", async () => {
  const turns = createUploadTurns();
  const done: string[] = [];
  const begun = Promise.withResolvers<void>();
  const running = turns.take(key, signal, async (closing) => {
    begun.resolve();
    await new Promise((resolve) => closing.addEventListener("abort", resolve));
    await new Promise((resolve) => setImmediate(resolve));
    done.push("broken off");
    closing.throwIfAborted();
  });
  const waiting = turns.take(key, signal, async () => done.push("begun too late"));
  const outcomes = Promise.allSettled([running, waiting]);
  await begun.promise;
  await turns.close();
  expect(done).toEqual(["broken off"]);
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
