import { randomUUID } from "node:crypto";
import type { Drs, Job } from "@drs/client";
import { workspaceOf } from "../../connection/workspace.ts";
import { describeFailure, type Failure, isDrsError } from "../../failures.ts";
import { createGate } from "../lanes.ts";
import type { Show } from "../progress/board.ts";
import type { UploadResult } from "../results/outcome.ts";
import { openSessions, type SavedUploads } from "../sessions/saved-uploads.ts";
import { nameOfSource, type Source, type Unreadable } from "../sources/source.ts";
import { follow, LostSight } from "./follow.ts";
import { createRetryPolicy, notTried, surelyRefused } from "./retry.ts";
import { createSendIfNew } from "./send-if-new.ts";
import { findStored, type Stored } from "./stored.ts";
import { createTransfers, type Transfers, type TransferSettings } from "./transfer.ts";

export interface SenderSettings extends Omit<TransferSettings, "workspaceId"> {
  /** Follows each job to its end. */
  readonly wait: boolean;
  /** Also sends documents that the service already has. */
  readonly force: boolean;
  /** Number of documents that are sent at the same time. */
  readonly atOnce: number;
  readonly saved: SavedUploads;
  /** Called with a note that the user should read once. */
  readonly onNote: (text: string) => void;
}

/** Sends one document. A failure is a result; it rejects only with the reason of an abort. */
type Sender = (source: Source | Unreadable, show: Show) => Promise<UploadResult>;

export async function createSender(drs: Drs, settings: SenderSettings): Promise<Sender> {
  const { signal, retryTimeoutMs, atOnce, force, saved, vectorize, wait, onAway } = settings;
  const noteOnce = eachOnce(settings.onNote);
  const workspaceId = workspaceOf(drs, signal);
  const onUnsaved = (cause: unknown): void =>
    noteOnce(`the state of uploads cannot be saved, so interrupted ones start over: ${describeFailure(cause).message}`);
  const sessions = await openSessions({ saved, workspaceId, onUnsaved });
  const transfers = createTransfers(drs, { ...settings, workspaceId }, sessions);
  const retryPolicy = createRetryPolicy({ retryTimeoutMs, signal, onAway });
  const sending = createGate(atOnce);
  const transfer: Transfers["send"] = (...document) => sending(() => transfers.send(...document));
  const sendIfNew = createSendIfNew({
    drs,
    signal,
    vectorize,
    retryPolicy,
    findStored: unlessForbidden(findStored(drs, { vectorize, signal }), noteOnce),
    transfer,
  });
  const followed = (job: Job, show: Show): Promise<Job> | Job =>
    wait ? follow(job, { drs, signal, retryTimeoutMs }, show) : job;

  const send = async (source: Source, show: Show): Promise<UploadResult> => {
    const ended = { file: nameOfSource(source), bytes: source.kind === "file" ? source.size : 0 };
    if (source.kind === "file" && !force) {
      const placed = await sendIfNew(source, show);
      if (placed.outcome !== "skipped") return { ...ended, ...placed, job: await followed(placed.job, show) };
      const { job } = placed;
      return { ...ended, ...placed, job: job === undefined || !wait ? job : await followed(job, show) };
    }
    const key = randomUUID();
    // Piped input can be read only once: it is sent again only if none of it has been accepted.
    const mayRetry = source.kind === "input" ? surelyRefused : undefined;
    const job = await retryPolicy.retry(() => transfer(source, key, show), mayRetry);
    return { ...ended, outcome: "uploaded", job: await followed(job, show) };
  };

  const failureOf = (cause: unknown, source: Source | Unreadable): Failure => {
    if (cause instanceof LostSight) return cause.failure();
    const failure = describeFailure(cause);
    const left = source.kind === "file" ? transfers.unfinished(source) : undefined;
    return left === undefined ? failure : { ...failure, next: `resume with: drs uploads resume ${left.state.key}` };
  };

  return async (source, show) => {
    signal.throwIfAborted();
    try {
      if (source.kind === "unreadable") throw source.cause;
      if (retryPolicy.lost !== undefined) throw notTried(retryPolicy.lost);
      return await send(source, show);
    } catch (cause) {
      signal.throwIfAborted();
      const bytes = source.kind === "file" ? source.size : 0;
      const job = cause instanceof LostSight ? cause.job : undefined;
      return { file: nameOfSource(source), bytes, outcome: "failed", failure: failureOf(cause, source), job };
    }
  };
}

function eachOnce(note: (text: string) => void): (text: string) => void {
  const noted = new Set<string>();
  return (text) => {
    if (!noted.has(text)) note(text);
    noted.add(text);
  };
}

/** Makes the lookup optional, because a key that may only write can still upload. */
function unlessForbidden(
  find: (sha256: string) => Promise<Stored | undefined>,
  noteOnce: (text: string) => void,
): (sha256: string) => Promise<Stored | undefined> {
  return async (sha256) => {
    try {
      return await find(sha256);
    } catch (cause) {
      if (!isDrsError(cause) || cause.code !== "permission_denied") throw cause;
      noteOnce("the API key may not read, so stored documents cannot be recognised and are sent again");
      return undefined;
    }
  };
}
