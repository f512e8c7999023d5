import type { InferenceSession } from "../onnxruntime.ts";

/** Runs a graph on texts of any length, one run after another. */
export interface TextSessions {
  /** Runs the graph; `tokens` is the number of the call's tokens, padding included. */
  run(feeds: InferenceSession.FeedsType, tokens: number): Promise<InferenceSession.ReturnType>;
  close(): Promise<void>;
}

interface Options {
  /** Loads another session of the graph. */
  readonly open: () => Promise<InferenceSession>;
  /** The session that is already loaded. */
  readonly ordinary: InferenceSession;
}

/**
 * A session keeps the largest memory that a run has taken, in blocks that double in size: a text of 2,000 tokens leaves
 * 32 MB behind, one of 12,000 leaves 480.
 */
const maxKeptTokens = 2_048;
/** Loading the graph takes 35 ms, as long as a run on 2,500 tokens, and long texts often come together. */
const runsUntilClosed = 32;

/** Runs long texts in a session of their own, which is closed to free its memory when no more of them come. */
export function createTextSessions({ open, ordinary }: Options): TextSessions {
  let long: Promise<InferenceSession> | undefined;
  let shortRuns = 0;

  async function closeLong(): Promise<void> {
    const closing = long;
    long = undefined;
    await (await closing)?.release();
  }

  return {
    async run(feeds, tokens) {
      if (tokens > maxKeptTokens) {
        shortRuns = 0;
        long ??= open();
        // If that fails, the next long text tries it again.
        long.catch(() => (long = undefined));
        return (await long).run(feeds);
      }
      shortRuns += 1;
      if (long !== undefined && shortRuns >= runsUntilClosed) await closeLong();
      return ordinary.run(feeds);
    },
    async close() {
      await closeLong();
      await ordinary.release();
    },
  };
}
