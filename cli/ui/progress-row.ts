/** How one thing that takes time stands. */
export interface ProgressRow {
  /** Stays the same while everything else changes. */
  readonly id: string;
  readonly label: string;
  readonly state: "waiting" | "active" | "done" | "partly" | "skipped" | "failed";
  /** What is being done, or how it ended. */
  readonly note: string;
  /** 0..1; undefined: not known. */
  readonly fraction?: number | undefined;
  /** The fraction in numbers: "3 of 9 pages". */
  readonly amount?: string | undefined;
  /** "34 s left": shown before the amount where there is no room for both. */
  readonly left?: string | undefined;
  /** Of what has ended: the whole of it, in place of label and note, which are cut to the width of the screen. */
  readonly lines?: readonly string[] | undefined;
}

/** Shows rows while they change. */
export interface ProgressView {
  /**
   * Shows how things stand. Rows that have ended are shown once, when they are first seen, and may be left out from the
   * next call on. `totals` sums up all of it in pieces, the most important first: as many are shown as fit.
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

/** Whether the row will not change any more. */
export function hasEnded({ state }: ProgressRow): boolean {
  return state !== "waiting" && state !== "active";
}

/** Of the rows, those that have ended and were not among the ones of the call before. */
export function createEndings(): (rows: readonly ProgressRow[]) => readonly ProgressRow[] {
  // Only as many as one call brings are remembered: there can be a million files.
  let seen: ReadonlySet<string> = new Set();
  return (rows) => {
    const ended = rows.filter(hasEnded);
    const fresh = ended.filter(({ id }) => !seen.has(id));
    seen = new Set(ended.map(({ id }) => id));
    return fresh;
  };
}
