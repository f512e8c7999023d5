import type { WarningCode } from "../../../domain/documents/properties.ts";

/** The place of a passage in its source. */
export interface Place {
  /** The kind of loss if the passage is missing on the pages. */
  readonly code: Extract<WarningCode, "missing_words" | "formula" | "alt_chunk" | "chart" | "locale">;
  /** The name of the place in a sentence, after "in" or "on". */
  readonly where: string;
  /** The page that shows the slide. */
  readonly page?: number | undefined;
}

/** A paragraph, cell or title that a reader of the document sees. */
export interface Passage {
  readonly text: string;
  readonly place: Place;
}

const maxQuoted = 40;

/** Returns the beginning of a text in quotation marks. */
export function quoted(text: string): string {
  const line = Array.from(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim());
  return `“${line.slice(0, maxQuoted).join("")}${line.length > maxQuoted ? "…" : ""}”`;
}
