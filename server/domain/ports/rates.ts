/** What a process wants to let through at a rate that it shares with others. */
export interface Wanted {
  readonly perMinute: number;
  /** Requests. */
  readonly count: number;
}

export interface Granted {
  /** Requests that may be let through: as many as wanted, or fewer when there are fewer. */
  readonly count: number;
  /** Of a minute's requests, those that are left for all processes afterwards; with a fraction. */
  readonly left: number;
}

/** Rates that several processes count together, by the store's clock. A minute's requests may come at once. */
export interface RateStore {
  grant(id: string, wanted: Wanted): Promise<Granted>;
  /** Forgets the rates that have been full for long. */
  sweep(): Promise<void>;
}
