/** Documents of many pages, and questions with the pages that answer them. */
export interface Collection {
  readonly name: string;
  readonly documents: readonly CollectedDocument[];
  readonly questions: readonly DocumentQuestion[];
}

export interface CollectedDocument {
  readonly fileName: string;
  /** The words of each page. */
  readonly pages: readonly string[];
}

export interface DocumentQuestion {
  readonly text: string;
  /** The index in `documents`. */
  readonly document: number;
  /** Numbers of the pages that answer it, from 1. */
  readonly pages: ReadonlySet<number>;
  /** Whether the question names the document. */
  readonly isNamed: boolean;
}
