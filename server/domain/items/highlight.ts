/** A box around words of the query on one line of a page. Lengths are fractions of the displayed page, 0 to 1. */
export interface Highlight {
  /** Position of the upper left corner, from the left and from the top. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The words in the box, as they are on the page. */
  readonly text: string;
}
