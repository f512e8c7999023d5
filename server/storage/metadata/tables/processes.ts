/** What one process at a time does; all times are the store's. */
export interface DutyTable {
  name: string;
  /** The run of a process that has it; null: none. */
  holder: string | null;
  heldUntil: number;
  /** How often others have asked its holder to look. */
  requests: number;
}

/** A rate that several processes count together. */
export interface RateBucketTable {
  id: string;
  /** Thousandths of a request that may still be granted, as of `filledAt`. */
  millis: number;
  filledAt: number;
}
