import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";

/** Between two steps other connections write; a step takes as long as one of their transactions. */
const pauseMs = 2;

/** After so many steps that met another writer, the rest is left to the next round. */
const maxBusySteps = 1_000;

/** Gives the disk that removed rows held back, step by step; stops between two of them when the signal fires. */
export async function reclaimSpace(db: Kysely<Schema>, engine: Engine, signal: AbortSignal): Promise<void> {
  let busySteps = 0;
  while (!signal.aborted && busySteps < maxBusySteps) {
    // On the connection of the queries, when none of their transactions is open on it.
    const outcome = await db.connection().execute(async () => engine.reclaim());
    if (outcome === "done") return;
    if (outcome === "busy") busySteps += 1;
    await sleep(pauseMs);
  }
}
