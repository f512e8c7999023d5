import { realpath, stat } from "node:fs/promises";
import type { Session } from "../commands/command.ts";
import { workspaceOf } from "../connection/workspace.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { describeFailure, usageError } from "../failures.ts";
import { printable } from "../output/printable.ts";
import type { Report } from "../upload/results/results.ts";
import { createRetryPolicy } from "../upload/sending/retry.ts";
import { createTransfers } from "../upload/sending/transfer.ts";
import { openSavedUploads, openSessions } from "../upload/sessions/saved-uploads.ts";
import { createSyncResults } from "./results/results.ts";
import { openSyncState } from "./state/state.ts";
import { createSync, type Sync, type SyncChoices } from "./sync.ts";
import { createChanges } from "./folder/changes.ts";
import type { Round } from "./round.ts";

interface SyncRun extends SyncChoices {
  /** Identifies the server across runs. */
  readonly server: string;
  /** Continues with later changes. */
  readonly watch: boolean;
  readonly report: Report | undefined;
}

/** Syncs a folder to the service, and continues with later changes if it is to watch. */
export async function runSync(session: Session, run: SyncRun): Promise<ExitCode> {
  const { drs, output, io } = session;
  const { signal, env } = io;
  const { folder, server, retryTimeoutMs, report } = run;
  const root = await folderAt(folder);
  const workspaceId = workspaceOf(drs, signal);
  const saved = openSavedUploads(env);
  const onUnsaved = (cause: unknown): void =>
    output.note(`the state of an upload cannot be saved: ${describeFailure(cause).message}`);
  const sessions = await openSessions({ saved, workspaceId, onUnsaved });
  const onAway = (away: boolean): void => {
    if (!output.json) output.note(away ? "the server does not answer, trying again" : "the server answers again");
  };
  const state = await openSyncState(env, { server, workspaceId: await workspaceId(), folder: root }, (path) =>
    output.note(`the saved state of ${printable(folder)} cannot be read and was renamed: ${path}`),
  );
  const results = createSyncResults(output, report);
  const retryPolicy = createRetryPolicy({ retryTimeoutMs, signal, onAway });
  const transfers = createTransfers(drs, { ...run, fileName: undefined, workspaceId, signal, onAway }, sessions);
  const sync = createSync(session, run, { root, state, results, report, retryPolicy, transfers });
  try {
    const first = await sync({ checkAll: true, settledBefore: undefined, watching: false });
    if (run.dryRun) return exitCodes.ok;
    if (run.watch) await watchFolder(session, { folder, root, sync, first });
    return await results.finish();
  } catch (cause) {
    await results.finish(signal.aborted ? signal.reason : cause);
    if (signal.aborted && !output.json) output.note("run the same command again to continue");
    throw cause;
  } finally {
    await saved.settled();
    state.close();
  }
}

/** Returns the path of the folder without links, which identifies it across runs. Throws usage errors. */
async function folderAt(folder: string): Promise<string> {
  const found = await stat(folder);
  if (!found.isDirectory())
    throw usageError(`${folder} is not a folder`, `a single document goes up with: drs upload ${folder}`);
  return realpath(folder);
}

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
async function watchFolder({ output, io }: Session, { folder, root, sync, first }: Watched): Promise<void> {
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
