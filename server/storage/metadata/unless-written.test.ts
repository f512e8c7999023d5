import { expect, test } from "vitest";
import { eventUnlessWritten, unlessWritten } from "./unless-written.ts";

/** A stub of a database, with a version only. */
function versioned(first: string | undefined) {
  let now = first;
  return { version: () => now, write: (next: string) => void (now = next) };
}

/** A query that returns how often it has been asked. */
function counted() {
  let asked = 0;
  return async () => ++asked;
}

test("a query is asked once before the next write, and again after it", async () => {
  const engine = versioned("1");
  const ask = unlessWritten(engine, counted());
  expect([await ask(), await ask()]).toEqual([1, 1]);
  engine.write("2");
  expect([await ask(), await ask()]).toEqual([2, 2]);
});

test("each query has its own answer", async () => {
  const ask = unlessWritten(versioned("1"), async (id: string, limit: number) => `${id} ${limit}`);
  expect(await Promise.all([ask("a", 1), ask("a", 2), ask("b", 1), ask("a", 1)])).toEqual(["a 1", "a 2", "b 1", "a 1"]);
});

test("an answer that was in flight during a write is not reused", async () => {
  const engine = versioned("1");
  const before = Promise.withResolvers<string>();
  const answers = [before.promise, Promise.resolve("after")].values();
  const ask = unlessWritten(engine, async () => answers.next().value);
  const early = ask();
  engine.write("2");
  expect(await ask()).toBe("after");
  before.resolve("before");
  expect(await early).toBe("before");
  expect(await ask()).toBe("after");
});

test("a failure is not cached", async () => {
  const answers = [Promise.reject(new Error("busy")), Promise.resolve("here")].values();
  const ask = unlessWritten(versioned("1"), async () => answers.next().value);
  await expect(ask()).rejects.toThrow("busy");
  expect(await ask()).toBe("here");
});

test("a database that does not tell its version is asked each time", async () => {
  const ask = unlessWritten(versioned(undefined), counted());
  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test("an event that has not happened since a time has not happened since a later one", async () => {
  const engine = versioned("1");
  const asked: string[] = [];
  let happenedAt = 40;
  const ask = eventUnlessWritten(engine, async (id: string, since) => {
    asked.push(`${id} ${since}`);
    return happenedAt >= since;
  });
  expect(await ask("a", 40)).toBe(true);
  expect(await ask("a", 50)).toBe(false);
  expect(await ask("a", 50)).toBe(false);
  expect(await ask("a", 60)).toBe(false);
  expect(await ask("b", 60)).toBe(false);
  // Nothing is known about an earlier time.
  expect(await ask("a", 40)).toBe(true);
  expect(asked).toEqual(["a 40", "a 50", "b 60", "a 40"]);
  happenedAt = 70;
  engine.write("2");
  expect(await ask("a", 60)).toBe(true);
});
