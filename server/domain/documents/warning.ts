/** Kinds of loss in a conversion. The codes are stored, so none is ever renamed. */
export const warningCodes = ["alt_chunk", "formula", "chart", "font", "locale", "missing_words"] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Content of a document that its pages do not show as it is. */
export interface DocumentWarning {
  readonly code: WarningCode;
  /** Tells the document's owner what is lost, where, and what to do. */
  readonly message: string;
  /** Counts from 1; undefined if not known. */
  readonly page?: number | undefined;
}

/** Maximum number of warnings of a document: more would tell its owner nothing more. */
export const maxWarnings = 50;
