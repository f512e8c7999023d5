import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withSpillFolder } from "./lance.ts";

test("overlapping openings share a folder of this process, and leave that of the system in place", async () => {
  const before = tmpdir();
  const open = async (ms: number): Promise<string> => {
    await sleep(ms);
    return tmpdir();
  };
  const failing = async (): Promise<string> => Promise.reject(new Error("not opened"));
  const [short, long, failed] = await Promise.allSettled([
    withSpillFolder(() => open(1)),
    withSpillFolder(() => open(30)),
    withSpillFolder(failing),
  ]);
  expect(failed.status).toBe("rejected");
  expect(short).toEqual(long);
  expect(short).toMatchObject({ value: expect.stringContaining(`drs-index-${process.pid}-`) });
  expect(tmpdir()).toBe(before);
  expect(existsSync(await withSpillFolder(() => open(0)))).toBe(true);
});
