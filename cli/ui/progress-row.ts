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
