import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Act, anyLimit, anyTurns } from "./accounting/acts.ts";
import { compareWithFiles, compareWithRows, giveBack, workerStopsMs } from "./accounting/books.ts";
import { createMachine, type Machine } from "./accounting/machine.ts";
import { perform } from "./accounting/perform.ts";

/** Some 20 seconds each; where there is no folder in memory, thousands of commits wait for the disk. */
const timeoutMs = 300_000;

let machine: Machine;
beforeAll(async () => {
  machine = await createMachine();
});
afterAll(() => machine.remove());

/** Each of the turns is one act, or several at the same time. */
async function play(turns: readonly (readonly Act[])[], lives: number[] = []): Promise<void> {
  for (const acts of turns) {
    const outcomes = await Promise.allSettled(acts.map((act) => perform(machine, act)));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    await compareWithRows(machine);
    if (machine.now.life.isOver()) await machine.restart(lives);
  }
}

describe("what is counted is what is stored", () => {
  test("after any sequence of acts", { timeout: timeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(anyLimit, anyTurns, async (limit, turns) => {
        await machine.found(limit);
        await play(turns);
        machine.time += workerStopsMs;
        await compareWithFiles(machine);
        await giveBack(machine);
        expect(await machine.files()).toEqual(new Map());
      }),
      { numRuns: 400 },
    );
  });

  const anyLives = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 3 });

  test("after any sequence in which processes die, once another has started", { timeout: timeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(anyLimit, anyTurns, anyLives, async (limit, turns, lives) => {
        await machine.found(limit);
        const left = [...lives];
        await machine.restart(left);
        await play(turns, left);
        await machine.restart();
        await compareWithFiles(machine);
        await giveBack(machine);
        expect(await machine.files()).toEqual(new Map());
      }),
      { numRuns: 400 },
    );
  });
});

const sent = { size: 1000, isCut: false } as const;
const pdf: Act = { act: "upload", content: "pdf", ...sent, days: undefined };
const docx: Act = { ...pdf, content: "docx" };
const address: Act = { act: "upload from an address" };
const start: Act = { act: "start", size: undefined };
const part: Act = { act: "part", content: "pdf", ...sent, target: 0, number: 1 };
const work: Act = { act: "work", content: "docx", ...sent, ends: "SUCCESS" };
const sweep: Act = { act: "sweep" };
const wait: Act = { act: "wait", hours: 25 };
const on = { target: 0 } as const;

describe("what is counted is what is stored wherever the process dies", () => {
  test.each<[string, readonly Act[], Act]>([
    ["an upload", [], pdf],
    ["an upload of a damaged document", [], { ...pdf, content: "damaged" }],
    ["an upload that breaks off", [], { ...pdf, isCut: true }],
    ["an upload without room", [{ act: "limit", bytes: 900 }], pdf],
    ["an upload from an address", [], address],
    ["a fetch", [address], work],
    ["a fetch of a damaged document", [address], { ...work, content: "damaged" }],
    ["a fetch that breaks off", [address], { ...work, isCut: true }],
    ["a fetch without room", [address, { act: "limit", bytes: 900 }], work],
    ["a conversion", [docx], work],
    ["a conversion that takes more than there is room for", [docx, { act: "limit", bytes: 1 }], work],
    ["the end of a job", [docx], { ...work, ends: "ERROR" }],
    ["a part", [start], part],
    ["a part that replaces another", [start, part], { ...part, size: 50 }],
    ["a part without room", [start, { act: "limit", bytes: 900 }], part],
    ["an end", [start, part], { act: "end", ...on }],
    ["an end of a damaged document", [start, { ...part, content: "damaged" }], { act: "end", ...on }],
    ["an abort", [start, part], { act: "abort", ...on }],
    ["a deletion", [docx, work], { act: "delete", ...on }],
    ["a cancellation", [docx], { act: "cancel", ...on }],
    ["the removal of a session", [start, part, wait], sweep],
    ["the removal of a dataset that has expired", [{ ...docx, days: 1 }, work, wait], sweep],
    ["the removal of what was deleted", [docx, work, { act: "delete", ...on }, wait], sweep],
  ])("in %s", { timeout: timeoutMs }, async (_, before, act) => {
    let deaths = 0;
    for (let isOver = true; isOver; deaths++) {
      await machine.found(null);
      await machine.restart();
      await play(before.map((one) => [one]));
      machine.now.life.shorten(deaths);
      await perform(machine, act);
      isOver = machine.now.life.isOver();
      await compareWithRows(machine);
      await machine.restart();
      await compareWithFiles(machine);
      await giveBack(machine);
      expect(await machine.files()).toEqual(new Map());
    }
    expect(deaths).toBeGreaterThan(2);
  });
});
