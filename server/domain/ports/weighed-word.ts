/** A word of a query, with its weight for telling pages apart. */
export interface WeighedWord {
  /** All roots by which pages are found for it, as `wordRoot` returns them. */
  readonly roots: readonly string[];
  /** Inverse document frequency, natural logarithm; 0 or more. */
  readonly weight: number;
}
