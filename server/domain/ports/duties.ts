/** What one of the processes on the same stores does at a time, such as keeping the index in order. */
export type DutyName =
  /** Maintains index and database, and removes what is due. */
  | "upkeep"
  /** Looks after the keys that sign links. */
  | "links";

export interface HeldDuty {
  /** How often others have asked for the work so far. */
  readonly requests: number;
}

/**
 * Which process has which duty. A duty is held for a time by the store's clock. A process that was paused may go on with one
 * that another has taken meanwhile, so what a duty does must do no harm when two do it.
 */
export interface DutyStore {
  /** Takes the duty if no other run of a process holds it, or keeps it. Undefined: another holds it. At most a minute. */
  hold(name: DutyName, holder: string, holdMs: number): Promise<HeldDuty | undefined>;
  /** Asks the holder, whoever that is or will be, to do the work once more. */
  request(name: DutyName): Promise<void>;
  /** Ends all duties of a run of a process: it is stopping, or is dead. */
  release(holder: string): Promise<void>;
}
