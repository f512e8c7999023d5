import { expect, test } from "vitest";
import { createReadiness } from "./readiness.ts";

function recorder() {
  const lines: string[] = [];
  const write = (fields: object, message?: string): void => void lines.push(`${message}: ${JSON.stringify(fields)}`);
  return { lines, log: { info: write, warn: write } as never };
}

test("calls share one look while it runs and as long as it counts", async () => {
  let [time, asked] = [0, 0];
  const readiness = createReadiness({
    probes: { rows: async () => void asked++, blobs: async () => undefined },
    log: recorder().log,
    now: () => time,
  });
  const all = await Promise.all(Array.from({ length: 50 }, () => readiness.check()));
  expect(new Set(all.map(({ ready }) => ready))).toEqual(new Set([true]));
  expect(all[0]?.checks).toEqual({ rows: "ok", blobs: "ok" });
  time = 999;
  await readiness.check();
  expect(asked).toBe(1);
  time = 1000;
  await readiness.check();
  expect(asked).toBe(2);
});

test("a part that hangs is not ready by a deadline, and is not asked again before it answers", async () => {
  let [time, asked] = [0, 0];
  let hang = Promise.withResolvers<void>();
  const readiness = createReadiness({
    probes: {
      rows: () => {
        asked += 1;
        return hang.promise;
      },
    },
    log: recorder().log,
    now: () => time,
    deadlineMs: 10,
  });
  const late = { ready: false, checks: { rows: "does not answer within 0.01 seconds" } };
  expect(await readiness.check()).toEqual(late);
  time = 5_000;
  expect(await readiness.check()).toEqual(late);
  expect(asked).toBe(1);
  hang.resolve();
  time = 10_000;
  await expect.poll(async () => ((time += 5_000), (await readiness.check()).ready)).toBe(true);
});

test("parts may report how they are by themselves", async () => {
  const readiness = createReadiness({ probes: { rows: async () => undefined }, log: recorder().log });
  readiness.report("disk", "full");
  expect(await readiness.check()).toEqual({ ready: false, checks: { rows: "ok", disk: "full" } });
  readiness.report("disk", "ok");
  expect(await readiness.check()).toEqual({ ready: true, checks: { rows: "ok", disk: "ok" } });
});

test("changes are logged once, not each time they are seen", async () => {
  let time = 0;
  let fault: string | undefined = "gone";
  const { lines, log } = recorder();
  const readiness = createReadiness({
    probes: {
      rows() {
        if (fault !== undefined) throw new Error(fault);
        return Promise.resolve();
      },
    },
    log,
    now: () => (time += 10_000),
  });
  for (let times = 0; times < 3; times++) await readiness.check();
  fault = "elsewhere";
  for (let times = 0; times < 3; times++) await readiness.check();
  fault = undefined;
  for (let times = 0; times < 3; times++) await readiness.check();
  readiness.report("disk", "full");
  readiness.report("disk", "full");
  expect(lines).toEqual([
    'not ready: {"check":"rows","reason":"gone"}',
    'not ready: {"check":"rows","reason":"elsewhere"}',
    'ready again: {"check":"rows"}',
    'not ready: {"check":"disk","reason":"full"}',
  ]);
});
