import type { Session } from "../commands/command.ts";
import { describeFailure } from "../failures.ts";
import { printable } from "../output/printable.ts";
import { createChanges } from "./folder/changes.ts";
import type { Round } from "./round.ts";
import type { Sync } from "./sync.ts";

/** A file that was written within this time may be written again, milliseconds. */
const settleMs = 2_000;
/**
 * Interval of full comparisons, milliseconds, for changes that no watcher has reported and for datasets that others
 * have deleted.
 */
const recheckMs = 300_000;
/** The interval if not all folders can be watched. */
const blindRecheckMs = 10_000;

interface Watched {
  /** The folder as the user named it. */
  readonly folder: string;
  /** Absolute path of the folder. */
  readonly root: string;
  readonly sync: Sync;
  /** The round that has just been completed. */
  readonly first: Round;
}

/** Syncs whenever something has changed. Resolves when the user ends it while there is nothing to do. */
export async function watchFolder({ output, io }: Session, { folder, root, sync, first }: Watched): Promise<void> {
  const { signal } = io;
  const changes = createChanges(root);
  if (!output.json) output.note(`watching ${printable(folder)}; Ctrl-C ends it`);
  let toldBlind = false;
  let checkedAt = Date.now();
  let round: Round | undefined = first;
  let mayBeMore = true;
  try {
    for (;;) {
      if (round !== undefined) changes.follow(round.scan.folders);
      if (changes.blind && !toldBlind) {
        output.note(`not all folders can be watched: all are checked every ${blindRecheckMs / 1_000} s instead`);
        toldBlind = true;
      }
      const intervalMs = changes.blind ? blindRecheckMs : recheckMs;
      // Nobody has reported changes from before the folder was watched.
      const woken = await changes.next(mayBeMore ? settleMs : intervalMs, signal).catch((cause: unknown) => {
        if (signal.aborted) return "ended";
        throw cause;
      });
      if (woken === "ended") return;
      const checkAll = Date.now() - checkedAt >= recheckMs;
      if (checkAll) checkedAt = Date.now();
      const folders = round?.scan.folders.length;
      round = await sync({ checkAll, settledBefore: Date.now() - settleMs, watching: true }).catch((cause: unknown) => {
        signal.throwIfAborted();
        // A service or a folder that is missing may come back.
        const { message, next } = describeFailure(cause);
        output.note(`${printable(message)}; tried again in ${intervalMs / 1_000} s${next === "" ? "" : `: ${next}`}`);
        return undefined;
      });
      mayBeMore = round !== undefined && (round.unsettled || round.scan.folders.length !== folders);
    }
  } finally {
    changes.close();
  }
}
