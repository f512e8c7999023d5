/** A word of a question, and how much it tells pages apart. */
export interface WeighedWord {
  /** Of all that pages are found by for it, as of `wordRoot`. */
  readonly roots: readonly string[];
  /** Inverse document frequency, natural logarithm; 0 or more. */
  readonly weight: number;
}
