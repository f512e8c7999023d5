import type { InferenceSession } from "../onnxruntime.ts";

/** A graph that is run on texts of any length. Runs follow one another. */
export interface TextSessions {
  /** `tokens` of the call, fillings included. */
  run(feeds: InferenceSession.FeedsType, tokens: number): Promise<InferenceSession.ReturnType>;
  close(): Promise<void>;
}

interface Options {
  /** Loads the graph once more. */
  readonly open: () => Promise<InferenceSession>;
  /** The graph, loaded already. */
  readonly ordinary: InferenceSession;
}

/**
 * A session keeps the largest memory that a run has taken, in blocks of which each is twice as large as the one before: a
 * text of 2,000 tokens leaves 32 MB behind, one of 12,000 leaves 480.
 */
const maxKeptTokens = 2_048;
/** Loading the graph takes 35 ms, as long as a run on 2,500 tokens: texts longer than usual often come together. */
const runsUntilClosed = 32;

/** Runs what is longer than usual in a session for itself, whose memory goes back when such texts no longer come. */
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
