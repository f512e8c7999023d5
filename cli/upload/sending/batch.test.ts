import { expect, test } from "vitest";
import { batched } from "./stored.ts";

test("questions gather while one is on its way; each gets its own answer", async () => {
  const asked: (readonly string[])[] = [];
  const ask = batched(3, async (keys) => {
    asked.push(keys);
    await new Promise((resolve) => setImmediate(resolve));
    return (key) => key.toUpperCase();
  });
  expect(await Promise.all(["a", "b", "c", "d", "e"].map(ask))).toEqual(["A", "B", "C", "D", "E"]);
  expect(asked).toEqual([["a"], ["b", "c", "d"], ["e"]]);
  expect(await ask("f")).toBe("F");
});

test("a failure rejects the questions of its batch, and none after it", async () => {
  let calls = 0;
  const ask = batched(10, async () => {
    calls += 1;
    if (calls === 1) throw new Error("away");
    return (key) => key;
  });
  const outcomes = await Promise.allSettled(["a", "b"].map(ask));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
