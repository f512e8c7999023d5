import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Objects } from "./objects.ts";

/** No table begins with a dot. */
const folder = ".making/";

const lookAgainMs = 100;
/** Making a table and its indices takes a second or two; who has the turn for longer counts as killed. */
const defaultAbandonedMs = 20_000;

/**
 * Runs the task while no other process runs one of that name: LanceDB looks whether there is a table before it makes one, so
 * that two that make it at the same time both succeed, and the second replaces what the first has made.
 */
export async function inTurn<Result>(
  objects: Objects,
  { name, abandonedMs = defaultAbandonedMs }: { readonly name: string; readonly abandonedMs?: number },
  task: () => Promise<Result>,
): Promise<Result> {
  const path = `${folder}${name}`;
  const token = Buffer.from(randomUUID());
  await take(objects, path, { token, abandonedMs });
  try {
    return await task();
  } finally {
    const holder = await objects.readTagged(path);
    if (holder !== undefined && token.equals(holder.bytes)) await objects.remove(path);
  }
}

async function take(
  objects: Objects,
  path: string,
  { token, abandonedMs }: { token: Uint8Array; abandonedMs: number },
): Promise<void> {
  let seen = "";
  let since = performance.now();
  while (!(await objects.create(path, token))) {
    const holder = await objects.readTagged(path);
    if (holder !== undefined && holder.etag !== seen) {
      seen = holder.etag;
      since = performance.now();
    }
    const isAbandoned = holder !== undefined && performance.now() - since > abandonedMs;
    if (isAbandoned && (await objects.replace(path, token, seen))) return;
    await sleep(lookAgainMs);
  }
}
