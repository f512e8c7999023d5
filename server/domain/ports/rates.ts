/** Requests that a process wants to admit at a rate that it shares with others. */
export interface Wanted {
  readonly perMinute: number;
  /** Requests. */
  readonly count: number;
}

export interface Granted {
  /** Admitted requests: as many as requested, or fewer if fewer are left. */
  readonly count: number;
  /** Requests of the minute that are left for all processes afterwards; with a fraction. */
  readonly left: number;
}

/** Rates that several processes count together, by the store's clock. A minute's requests may come at once. */
export interface RateStore {
  grant(id: string, wanted: Wanted): Promise<Granted>;
  /** Deletes rates that have been full for long. */
  sweep(): Promise<void>;
}
