/** Kinds of losses that a conversion has; stored, so that none is renamed. */
export const warningCodes = ["alt_chunk", "formula", "chart", "font", "locale", "missing_words"] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Something that a document has and its pages do not show as it is. */
export interface DocumentWarning {
  readonly code: WarningCode;
  /** What is lost, where, and what to do: for the document's owner. */
  readonly message: string;
  /** From 1; undefined: it is not known. */
  readonly page?: number | undefined;
}

/** Warnings that a document has at most: more of them tell its owner nothing more. */
export const maxWarnings = 50;
