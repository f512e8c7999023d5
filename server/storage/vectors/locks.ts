import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openLocked } from "../lock.ts";

const lookAgainMs = 50;

/** Runs the task while no other process mends tables of the same folder: two that did would undo each other's work. */
export const withMendLock = <Result>(root: string, task: () => Promise<Result>): Promise<Result> =>
  withLock(join(root, ".mending.lock"), task);

/**
 * Runs the task while nobody else makes a table in the same folder: LanceDB looks whether there is one before it makes it, so
 * that two that make it at the same time both succeed and break it.
 */
export const withMakeLock = <Result>(root: string, task: () => Promise<Result>): Promise<Result> =>
  withLock(join(root, ".making.lock"), task);

async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
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
