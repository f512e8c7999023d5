import { expect, test } from "vitest";
import { newWorkspaceId } from "./ids.ts";
import { createRequestLog } from "./use-log.ts";
import type { RequestCount } from "./usage/usage.ts";

const [one, other] = [newWorkspaceId(), newWorkspaceId()];

test("calls are written by workspace and month, each once", async () => {
  const written: (readonly RequestCount[])[] = [];
  let now = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
  const log = createRequestLog(
    async (counts) => void written.push(counts),
    () => now,
  );
  for (const id of [one, one, other]) log.record(id);
  now += 1;
  log.record(one);
  await log.flush();
  await log.flush();
  expect(written).toEqual([
    [
      { workspaceId: one, month: "2026-11", requests: 2 },
      { workspaceId: other, month: "2026-11", requests: 1 },
      { workspaceId: one, month: "2026-12", requests: 1 },
    ],
  ]);
});

test("counts that could not be written are written the next time, with newer ones", async () => {
  const written: (readonly RequestCount[])[] = [];
  let isBroken = true;
  const log = createRequestLog(
    async (counts) => {
      // Calls arrive while a batch is being written.
      log.record(one);
      if (isBroken) throw new Error("the disk is full");
      written.push(counts);
    },
    () => 0,
  );
  log.record(one);
  await expect(log.flush()).rejects.toThrow("the disk is full");
  isBroken = false;
  await log.flush();
  await log.flush();
  expect(written.flat().map(({ requests }) => requests)).toEqual([2, 1]);
});
