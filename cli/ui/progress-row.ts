/** The progress of one task. */
export interface ProgressRow {
  /** Stays the same while everything else changes. */
  readonly id: string;
  readonly label: string;
  readonly state: "waiting" | "active" | "done" | "partly" | "skipped" | "failed";
  /** The current activity, or how it ended. */
  readonly note: string;
  /** From 0 to 1; undefined if not known. */
  readonly fraction?: number | undefined;
  /** The fraction in numbers: "3 of 9 pages". */
  readonly amount?: string | undefined;
  /** "34 s left": shown instead of the amount if there is no space for both. */
  readonly left?: string | undefined;
  /** The complete text of an ended row, in place of label and note, which are cut to the width of the screen. */
  readonly lines?: readonly string[] | undefined;
}

/** Shows rows while they change. */
export interface ProgressView {
  /**
   * Shows the rows. An ended row is shown once, when it is first seen, and may be left out from the next call on.
   * `totals` sums up everything in pieces, most important first: as many are shown as fit.
   */
  update(rows: readonly ProgressRow[], totals?: readonly string[]): void;
  /** Leaves the last state on the screen. */
  close(): Promise<void>;
}

export const marks: Readonly<Record<ProgressRow["state"], string>> = {
  waiting: "·",
  active: "›",
  done: "✓",
  partly: "!",
  skipped: "=",
  failed: "✗",
};

/** Returns whether the row will not change any more. */
export function hasEnded({ state }: ProgressRow): boolean {
  return state !== "waiting" && state !== "active";
}

/** Creates a function that returns the rows that have ended since the call before. */
export function createEndings(): (rows: readonly ProgressRow[]) => readonly ProgressRow[] {
  // Remembers only the rows of one call, because there can be a million files.
  let seen: ReadonlySet<string> = new Set();
  return (rows) => {
    const ended = rows.filter(hasEnded);
    const fresh = ended.filter(({ id }) => !seen.has(id));
    seen = new Set(ended.map(({ id }) => id));
    return fresh;
  };
}

/** Time over which the rate is measured, milliseconds: single files even out, but a stall still shows. */
const windowMs = 10_000;
/** With less time, the rate would be a guess. */
const minSpanMs = 1_000;

/** Creates a function that measures how fast an amount grows, from samples of the last seconds. */
export function createRate(clock: () => number = Date.now): (amount: number) => number | undefined {
  const samples: { readonly at: number; readonly amount: number }[] = [];
  return (amount) => {
    const at = clock();
    // There is no rate until something happens, so that the time before the start does not slow it down.
    if (samples[0]?.amount === amount && samples.length === 1) samples.length = 0;
    samples.push({ at, amount });
    // The oldest sample that is kept is just outside of the window.
    while ((samples[1]?.at ?? at) < at - windowMs) samples.shift();
    const [first] = samples;
    if (first === undefined || at - first.at < minSpanMs) return undefined;
    return Math.max(0, ((amount - first.amount) / (at - first.at)) * 1000);
  };
}
