/** Work that only one of the processes on the same stores does at a time, such as maintaining the index. */
export type DutyName =
  /** Maintains index and database, and removes what is due. */
  | "upkeep"
  /** Rotates the keys that sign links. */
  | "links";

export interface HeldDuty {
  /** Number of requests for the work so far. */
  readonly requests: number;
}

/**
 * Leader leases: which process has which duty. A duty is held for a time by the store's clock. A process that was
 * paused may continue a duty that another has taken meanwhile, so a duty must do no harm if two processes do it.
 */
export interface DutyStore {
  /** Acquires or renews the duty, for at most a minute. Undefined if another process holds it. */
  hold(name: DutyName, holder: string, holdMs: number): Promise<HeldDuty | undefined>;
  /** Asks the holder, present or future, to do the work once more. */
  request(name: DutyName): Promise<void>;
  /** Ends all duties of a process that is stopping or dead. */
  release(holder: string): Promise<void>;
}
