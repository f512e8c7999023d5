/** How one thing that takes time stands. */
export interface ProgressRow {
  /** Stays the same while everything else changes. */
  readonly id: string;
  readonly label: string;
  readonly state: "waiting" | "active" | "done" | "partly" | "failed";
  /** What is being done, or how it ended. */
  readonly note: string;
  /** 0..1; undefined: not known. */
  readonly fraction?: number | undefined;
  /** The fraction in numbers: "3 of 9 pages". */
  readonly amount?: string | undefined;
}

/** Shows rows while they change. */
export interface ProgressView {
  update(rows: readonly ProgressRow[]): void;
  /** Leaves the last state on the screen. */
  close(): Promise<void>;
}

export const marks: Readonly<Record<ProgressRow["state"], string>> = {
  waiting: "·",
  active: "›",
  done: "✓",
  partly: "!",
  failed: "✗",
};
