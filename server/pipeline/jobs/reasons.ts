import { DomainError } from "../../domain/errors.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { DocumentError, reasons } from "../errors.ts";

/** Why a job failed, or has to be tried again, in one of a few words: sentences have page numbers and names in them. */
export function jobReason(cause: unknown): string {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return `storage-${fault}`;
  if (cause instanceof DocumentError) return cause.fault;
  return cause instanceof DomainError ? cause.kind.replaceAll("_", "-") : "internal";
}

/** The beginnings of the sentences that pages fail with, before any figure. */
const beginnings: readonly (readonly [reason: string, beginning: string])[] = [
  ["unreadable", reasons.unreadable],
  ["undrawable", reasons.undrawable],
  ["unsplittable", reasons.unsplittable],
  ["no-size", reasons.noSize],
  ["crash", reasons.crash],
  ["memory", beforeFigure(reasons.memory(0))],
  ["time", beforeFigure(reasons.time(0))],
];

/** Why a page failed, in one of a few words. */
export function pageReason(sentence: string): string {
  // What a rendition fails with begins with the number of the page.
  const text = sentence.replace(/^page \d+ cannot be shown: /, "");
  return beginnings.find(([, beginning]) => text.startsWith(beginning))?.[0] ?? "other";
}

function beforeFigure(sentence: string): string {
  return sentence.slice(0, sentence.search(/\d/));
}
