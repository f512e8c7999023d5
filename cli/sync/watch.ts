import type { Session } from "../commands/command.ts";
import { describeFailure } from "../failures.ts";
import { printable } from "../output/printable.ts";
import { createChanges } from "./folder/changes.ts";
import type { Round } from "./round.ts";
import type { Sync } from "./sync.ts";

/** A file that was written to within this may be written to again, milliseconds. */
const settleMs = 2_000;
/** Everything is compared again after so long, milliseconds: what no watch has told, and what others have deleted. */
const recheckMs = 300_000;
/** The same where not all folders can be watched. */
const blindRecheckMs = 10_000;

interface Watched {
  /** As it was named. */
  readonly folder: string;
  /** Absolute. */
  readonly root: string;
  readonly sync: Sync;
  /** The round that has just been done. */
  readonly first: Round;
}

/** Syncs whenever something has changed; resolves when the user ends it while there is nothing to do. */
export async function watchFolder({ output, world }: Session, { folder, root, sync, first }: Watched): Promise<void> {
  const { signal } = world;
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
        output.note(`not all folders can be watched: all are looked at every ${blindRecheckMs / 1_000} s instead`);
        toldBlind = true;
      }
      const patienceMs = changes.blind ? blindRecheckMs : recheckMs;
      // What changed before its folder was watched has told nobody.
      const woken = await changes.next(mayBeMore ? settleMs : patienceMs, signal).catch((cause: unknown) => {
        if (signal.aborted) return "ended";
        throw cause;
      });
      if (woken === "ended") return;
      const checkAll = Date.now() - checkedAt >= recheckMs;
      if (checkAll) checkedAt = Date.now();
      const folders = round?.scan.folders.length;
      round = await sync({ checkAll, settledBefore: Date.now() - settleMs, watching: true }).catch((cause: unknown) => {
        signal.throwIfAborted();
        // A service that is away, or a folder, may come back.
        const { message, next } = describeFailure(cause);
        output.note(`${printable(message)}; tried again in ${patienceMs / 1_000} s${next === "" ? "" : `: ${next}`}`);
        return undefined;
      });
      mayBeMore = round !== undefined && (round.unsettled || round.scan.folders.length !== folders);
    }
  } finally {
    changes.close();
  }
}
