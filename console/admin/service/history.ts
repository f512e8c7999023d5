import { pagesPerSecond, type State, sum } from "./state.ts";

/** The figures of one state that are drawn. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly pagesPerSecond: number;
  readonly jobs: number;
}

/** The newest state, and the samples of it and of earlier ones, the newest last. */
export interface Seen {
  readonly state: State;
  readonly samples: readonly Sample[];
}

/** Two minutes of states, at one every two seconds. */
const keptSamples = 60;

/** Adds a state to the history. The first state, also after a restart, gives no speed. */
export function see(state: State, before: Seen | undefined): Seen {
  const samples = before?.samples ?? [];
  const rate = before && pagesPerSecond(state, before.state);
  if (rate === undefined) return { state, samples };
  const sample = { at: state.at, pagesPerSecond: rate, jobs: sum(state, "drs_queue_jobs") };
  return { state, samples: [...samples, sample].slice(-keptSamples) };
}
