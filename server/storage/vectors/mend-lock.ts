import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openLocked } from "../lock.ts";

const lookAgainMs = 50;

/** Runs the task while no other process mends tables of the same folder: two that did would undo each other's work. */
export async function withMendLock<Result>(root: string, task: () => Promise<Result>): Promise<Result> {
  const path = join(root, ".mending.lock");
  let lock = tryLock(path);
  while (lock === undefined) {
    await sleep(lookAgainMs);
    lock = tryLock(path);
  }
  try {
    return await task();
  } finally {
    lock.close();
  }
}

function tryLock(path: string): ReturnType<typeof openLocked> {
  try {
    return openLocked(path, 0);
  } catch {
    // Not even the lock's file need have survived. It holds nothing.
    rmSync(path, { force: true });
    return openLocked(path, 0);
  }
}
