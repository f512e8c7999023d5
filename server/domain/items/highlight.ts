/** Where a page has words of a question: a box on one line of it. Lengths are fractions of the page as it is shown, 0 to 1. */
export interface Highlight {
  /** Of the upper left corner, from the left and from the top. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The words in the box, as the page has them. */
  readonly text: string;
}
