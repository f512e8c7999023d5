import type { Metadata } from "@drs/client";
import { join } from "node:path";
import type { Session } from "../commands/command.ts";
import { describeFailure, usageError } from "../failures.ts";
import { count } from "../output/amounts.ts";
import { canAsk, confirm } from "../commands/agreement.ts";
import { noProgress, openProgress } from "../ui/progress.ts";
import { forEachConcurrent } from "../upload/lanes.ts";
import { createBoard } from "../upload/progress/board.ts";
import type { Report } from "../upload/results/results.ts";
import { followedAtOnce } from "../upload/sending/follow.ts";
import type { RetryPolicy } from "../upload/sending/retry.ts";
import type { Transfers } from "../upload/sending/transfer.ts";
import type { Patterns } from "../upload/sources/patterns.ts";
import { canRedraw } from "../command-io.ts";
import { actionJson, actionLine, planCounts, planLine } from "./plan/describe.ts";
import { type Action, deletesMost, type Plan, type PlanChoices } from "./plan/plan.ts";
import { uploadOf } from "./results/result.ts";
import type { SyncResults } from "./results/results.ts";
import { haveLanded, lookAtBoth, type Round, type RoundSettings } from "./round.ts";
import { createWork } from "./service/work.ts";
import type { SyncState } from "./state/state.ts";

/** Options of a sync. */
export interface SyncChoices extends PlanChoices {
  /** The folder as the user named it. */
  readonly folder: string;
  readonly patterns: Patterns;
  readonly expiresInDays: number | undefined;
  /** Metadata of new documents. */
  readonly metadata: Metadata | undefined;
  readonly atOnce: number;
  readonly retryTimeoutMs: number;
  /** Follows each job to its end. */
  readonly wait: boolean;
  /** Shows the plan and does nothing. */
  readonly dryRun: boolean;
  /** Deletes even if that is most of what is synced. */
  readonly deleteMost: boolean;
}

interface SyncMeans {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly state: SyncState;
  readonly results: SyncResults;
  readonly report: Report | undefined;
  readonly retryPolicy: RetryPolicy;
  readonly transfers: Transfers;
}

/** How thoroughly to look, and whether there is somebody to ask. */
export interface Look {
  readonly checkAll: boolean;
  readonly settledBefore: number | undefined;
  /** One of many rounds: no questions are asked, and nothing is printed if there is nothing to do. */
  readonly watching: boolean;
}

/** Syncs the folder to the service. Resolves with the last round that it took. */
export type Sync = (look: Look) => Promise<Round>;

const deletedAtOnce = 4;
/** Files that change while they are sent are sent again, up to this many times in a run. */
const maxRounds = 3;

export function createSync(session: Session, choices: SyncChoices, means: SyncMeans): Sync {
  const { drs, output, io } = session;
  const { signal, stdout, stderr } = io;
  const { state, results, report } = means;
  const shownByRow = !output.json && stderr.isTTY === true && stdout.isTTY === true;
  const toldUnread = new Set<string>();
  const nameOf = (path: string): string => join(choices.folder, path);
  let stale = false;
  const work = createWork({
    ...choices,
    ...means,
    drs,
    nameOf,
    signal,
    onStale: () => {
      stale = true;
    },
  });

  const tellUnread = ({ unread }: Round): void => {
    for (const [path, cause] of unread) {
      if (toldUnread.has(path)) continue;
      toldUnread.add(path);
      const failure = describeFailure(cause);
      results.add({ step: "read", file: nameOf(path), bytes: 0, datasetIds: [], failure }, false);
    }
  };

  const show = async (actions: readonly Action[]): Promise<void> => {
    if (actions.length === 0) return;
    const bytes = actions.reduce((sum, action) => sum + (action.kind === "upload" ? action.bytes : 0), 0);
    const expected = { files: actions.length, bytes, complete: true };
    const view = output.json ? noProgress : await openProgress(io, false, { brief: true, endings: shownByRow });
    const board = createBoard(view, () => expected);
    try {
      await forEachConcurrent(entries(actions), choices.atOnce + followedAtOnce, async (action) => {
        const row = board.open(action.path);
        const result = await work(action, row.show);
        row.end(uploadOf(result));
        results.add(result, shownByRow);
      });
    } finally {
      await board.close();
    }
  };

  const apply = async ({ actions }: Plan): Promise<void> => {
    const quietly = async (kinds: readonly Action["kind"][]): Promise<void> =>
      forEachConcurrent(entries(actions.filter(({ kind }) => kinds.includes(kind))), deletedAtOnce, async (action) =>
        results.add(await work(action, () => undefined), false),
      );
    await quietly(["move", "adopt"]);
    await show(actions.filter(({ kind }) => kind === "upload" || kind === "follow" || kind === "vectorize"));
    await quietly(["clean", "delete"]);
  };

  return async ({ watching, ...how }) => {
    const settings = { ...choices, ...means, ...how, drs, signal };
    for (let rounds = 1; ; rounds += 1) {
      stale = false;
      const round = await lookWithProgress(session, choices.folder, settings);
      if (choices.dryRun || !watching || round.plan.actions.length > 0) tellPlan(round.plan, session, choices, report);
      results.left(planCounts(round.plan), round.scan.leftOut);
      tellUnread(round);
      if (choices.dryRun) return round;
      const plan = await guarded(round.plan, session, choices, watching);
      state.put(...plan.records);
      await apply(plan);
      const isDone = !(await haveLanded(settings)) && !stale;
      if (isDone || rounds === maxRounds) return round;
    }
  };
}

async function* entries<Entry>(all: readonly Entry[]): AsyncGenerator<Entry> {
  yield* all;
}

/** Looks at both sides, and shows how many files have been read if the terminal can. */
async function lookWithProgress(
  { output, io }: Session,
  folder: string,
  settings: Omit<RoundSettings, "onRead">,
): Promise<Round> {
  if (output.json || !canRedraw(io.stderr, io.env)) return lookAtBoth(settings);
  const view = await openProgress(io, false);
  const row = { id: "look", label: folder, state: "active", note: "reading" } as const;
  const onRead = (read: number, files: number): void =>
    view.update([{ ...row, fraction: read / files, amount: `${read} of ${count(files, "file")}` }]);
  try {
    return await lookAtBoth({ ...settings, onRead });
  } finally {
    view.update([]);
    await view.close();
  }
}

/** Prints and reports the plan; in a dry run, each of its actions. */
function tellPlan(plan: Plan, { output }: Session, { dryRun }: SyncChoices, report: Report | undefined): void {
  const counts = planCounts(plan);
  if (dryRun) {
    for (const action of plan.actions) {
      output.event(actionJson(action));
      report?.add(actionJson(action));
      output.line(actionLine(action));
    }
  }
  output.event({ plan: counts });
  report?.add({ plan: counts });
  if (!output.json) output.note(planLine(counts));
}

/** Returns the plan without deletions that may be a mistake. Asks if there is somebody; throws a usage error if not. */
async function guarded(
  plan: Plan,
  { output, io }: Session,
  { folder, deleteMost }: SyncChoices,
  watching: boolean,
): Promise<Plan> {
  if (deleteMost || !deletesMost(plan)) return plan;
  const deletions = plan.actions.filter(({ kind }) => kind === "delete").length;
  const told = `${count(deletions, "file")} of ${plan.known} that are synced are gone from ${folder}`;
  if (!watching && !output.json && canAsk(io)) {
    if (await confirm(`${told}; delete their documents for good?`, io)) return plan;
  } else if (!watching)
    throw usageError(
      `${told}; nothing was done`,
      "check the folder, and preview with --dry-run; to delete them, add --delete-most",
    );
  else output.note(`${told}; their documents stay. To delete them, run: drs sync --delete --delete-most`);
  return { ...plan, actions: plan.actions.filter(({ kind }) => kind !== "delete") };
}
