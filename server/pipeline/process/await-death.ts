import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Death, deathOf } from "./deaths.ts";

/**
 * Resolves when the process has ended and all its messages have been read. `isOutOfMemory` tells whether the system has
 * recently killed processes because it was out of memory.
 */
export async function awaitDeath(child: ChildProcess, isOutOfMemory: () => boolean): Promise<Death> {
  // A message or signal could not be delivered any more; the end of the process tells why.
  child.on("error", () => undefined);
  try {
    const [code, signal]: (number | string | null)[] = await once(child, "close");
    return deathOf({
      code: typeof code === "number" ? code : null,
      signal: typeof signal === "string" ? signal : null,
      oomKilled: isOutOfMemory(),
    });
  } catch (cause) {
    return { kind: "fault", what: `it cannot be started: ${String(cause)}` };
  }
}
