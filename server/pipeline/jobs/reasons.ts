import { DomainError } from "../../domain/errors.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { DocumentError, reasons } from "../errors.ts";

/** The label of a job's failure for metrics, one of a few words, because sentences contain page numbers and names. */
export function jobReason(cause: unknown): string {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return `storage-${fault}`;
  if (cause instanceof DocumentError) return cause.fault;
  return cause instanceof DomainError ? cause.kind.replaceAll("_", "-") : "internal";
}

/** The beginnings of the failure sentences of pages, before any figure. */
const beginnings: readonly (readonly [reason: string, beginning: string])[] = [
  ["unreadable", reasons.unreadable],
  ["undrawable", reasons.undrawable],
  ["unsplittable", reasons.unsplittable],
  ["no-size", reasons.noSize],
  ["crash", reasons.crash],
  ["memory", beforeFigure(reasons.memory(0))],
  ["time", beforeFigure(reasons.time(0))],
];

/** The label of a page's failure for metrics, one of a few words. */
export function pageReason(sentence: string): string {
  // The sentence of a failed rendition begins with the page number.
  const text = sentence.replace(/^page \d+ cannot be shown: /, "");
  return beginnings.find(([, beginning]) => text.startsWith(beginning))?.[0] ?? "other";
}

function beforeFigure(sentence: string): string {
  return sentence.slice(0, sentence.search(/\d/));
}
