import { expect, test } from "vitest";
import { createMemoryGate } from "./memory-gate.ts";

const mb = 2 ** 20;

/** A process whose size the test sets. */
function gate(maxMb: number) {
  const process = { mb: 100, excesses: 0 };
  const memory = createMemoryGate({
    maxRssBytes: maxMb * mb,
    rss: () => process.mb * mb,
    async onExcess() {
      process.excesses += 1;
      process.mb = 100;
    },
  });
  return { process, ...memory };
}

/** A run that continues until it is stopped, and tells when it has begun. */
function endless() {
  const begun = Promise.withResolvers<void>();
  const run = (stop: AbortSignal): Promise<string> => {
    begun.resolve();
    return new Promise((resolve) => stop.addEventListener("abort", () => resolve("stopped")));
  };
  return { run, begun: begun.promise };
}

test("work within the bound is left alone", async () => {
  const { beside, process } = gate(1000);
  expect(await beside(async () => "done")).toBe("done");
  expect(process.excesses).toBe(0);
});

test("everything stops when the process outgrows its bound", async () => {
  const { beside, process } = gate(1000);
  const endlessRuns = [endless(), endless()];
  const runs = endlessRuns.map(({ run }) => beside(run));
  await Promise.all(endlessRuns.map(({ begun }) => begun));
  process.mb = 1001;
  expect(await Promise.all(runs)).toEqual(["stopped", "stopped"]);
  expect(process.excesses).toBe(1);
});

test("a run alone waits for the others, and the others for it", async () => {
  const { beside, alone } = gate(1000);
  const order: string[] = [];
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = beside(async () => {
    begun.resolve();
    await release.promise;
    order.push("beside");
  });
  await begun.promise;
  const suspects = ["suspect 1", "suspect 2"].map((name) => alone(async () => void order.push(name)));
  const later = beside(async () => void order.push("later"));
  release.resolve();
  await Promise.all([first, ...suspects, later]);
  expect(order).toEqual(["beside", "suspect 1", "suspect 2", "later"]);
});

test("a failed run lets the next one in", async () => {
  const { beside, alone } = gate(1000);
  await expect(alone(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await expect(beside(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await beside(async () => "done")).toBe("done");
});

test("memory that was in use before a run does not stop it", async () => {
  const { beside, process } = gate(1000);
  process.mb = 2000;
  const { run: work, begun } = endless();
  const run = beside(work);
  await begun;
  process.mb = 2100;
  expect(await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 200, "left alone"))])).toBe(
    "left alone",
  );
  process.mb = 2300;
  expect(await run).toBe("stopped");
});
