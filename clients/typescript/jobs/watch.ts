import type { Client } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { DrsError, type DrsErrorCode } from "../errors.ts";
import type { JobService } from "../gen/drs/v1/jobs_pb.ts";
import { pause } from "../uploads/retry.ts";
import { present } from "../wire-names.ts";
import { isFinished, type Job, jobOf } from "./job.ts";

export interface WatchOptions extends RequestOptions {
  /** Interval of polling if the stream is not available, milliseconds; default 1,000. */
  readonly pollMs?: number | undefined;
  /** A stream that is silent for longer counts as broken, milliseconds; default 45,000: three missed heartbeats. */
  readonly silenceMs?: number | undefined;
  /** How long the service may be unavailable before that is an error, milliseconds; default 60,000. */
  readonly retryTimeoutMs?: number | undefined;
  /** Called with true when the service stops answering, and with false when it answers again. */
  readonly onAway?: ((away: boolean) => void) | undefined;
}

interface Watched extends RequestOptions {
  readonly connection: Connection;
  readonly client: Client<typeof JobService>;
  readonly id: string;
  readonly pollMs: number;
  readonly silenceMs: number;
  readonly retryTimeoutMs: number;
  readonly onAway: (away: boolean) => void;
}

/** Errors that do not pass. */
const finalCodes: readonly DrsErrorCode[] = [
  "invalid_argument",
  "not_found",
  "permission_denied",
  "unauthenticated",
  "failed_precondition",
];
/**
 * Some proxies hold streams back but let single calls through: after this many silent streams in a row, the job is
 * polled.
 */
const muteStreamsBeforePolling = 3;

/**
 * Yields the states of a job: the current one, then every change, the finished one last. A broken stream is continued;
 * if streams do not get through at all, the job is polled.
 */
export async function* watchJob(
  connection: Connection,
  client: Client<typeof JobService>,
  id: string,
  { signal, pollMs = 1_000, silenceMs = 45_000, retryTimeoutMs = 60_000, onAway }: WatchOptions = {},
): AsyncGenerator<Job, void, undefined> {
  const away = changesOf(onAway);
  const watched: Watched = { connection, client, id, signal, pollMs, silenceMs, retryTimeoutMs, onAway: away };
  let revision = "";
  let muteStreams = 0;
  while (muteStreams < muteStreamsBeforePolling) {
    muteStreams += 1;
    try {
      for await (const message of oneStream(watched, revision)) {
        muteStreams = 0;
        away(false);
        // Heartbeats repeat the last state.
        if (message.revision === revision && revision !== "") continue;
        revision = message.revision;
        yield message.job;
        if (isFinished(message.job)) return;
      }
      // The server ended the stream early, as it does when it drains.
    } catch (cause) {
      const { code } = temporary(cause, watched);
      if (code === "unimplemented") break;
      if (code === "unavailable") away(true);
    }
    await pause(pollMs, signal);
  }
  yield* pollJob(watched);
}

async function* oneStream(
  { connection, client, id, signal, silenceMs }: Watched,
  afterRevision: string,
): AsyncGenerator<{ job: Job; revision: string }, void, undefined> {
  const silence = new AbortController();
  const stop = AbortSignal.any(signal === undefined ? [silence.signal] : [signal, silence.signal]);
  const tooSilent = new DrsError({ code: "deadline_exceeded", message: "the server stopped sending the job's state" });
  let timer = setTimeout(() => silence.abort(tooSilent), silenceMs);
  try {
    for await (const message of client.watchJob({ id, afterRevision }, connection.streaming({ signal: stop }))) {
      clearTimeout(timer);
      yield { job: jobOf(present(message.job, "job")), revision: message.revision };
      timer = setTimeout(() => silence.abort(tooSilent), silenceMs);
    }
  } catch (cause) {
    throw connection.failure(cause, { signal: stop });
  } finally {
    clearTimeout(timer);
    // Ends the call if the reader leaves before the end of the stream.
    silence.abort();
  }
}

async function* pollJob(watched: Watched): AsyncGenerator<Job, void, undefined> {
  const { connection, client, id, signal, pollMs, retryTimeoutMs, onAway } = watched;
  let seen = "";
  let awaySince: number | undefined;
  while (true) {
    try {
      const answer = await connection.call((options) => client.getJob({ id }, options), { signal });
      awaySince = undefined;
      onAway(false);
      const job = jobOf(present(answer.job, "job"));
      const state = JSON.stringify(job);
      if (state !== seen) yield job;
      seen = state;
      if (isFinished(job)) return;
    } catch (cause) {
      const error = temporary(cause, watched);
      awaySince ??= Date.now();
      onAway(true);
      if (Date.now() - awaySince > retryTimeoutMs) throw error;
    }
    await pause(pollMs, signal);
  }
}

/** Reports only changes; at first the service counts as available. */
function changesOf(onAway: ((away: boolean) => void) | undefined): (away: boolean) => void {
  let last = false;
  return (away) => {
    if (away !== last) onAway?.(away);
    last = away;
  };
}

/** Returns the error, or rethrows it if trying again cannot help. */
function temporary(cause: unknown, { signal }: Watched): DrsError {
  if (signal?.aborted === true) throw signal.reason;
  if (!(cause instanceof DrsError) || finalCodes.includes(cause.code)) throw cause;
  return cause;
}
