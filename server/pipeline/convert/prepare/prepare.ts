import type { OfficeFacts } from "../precheck/facts.ts";
import { refusal } from "../precheck/refusals.ts";
import { withParts } from "../parts.ts";
import { type Draft, draftOf } from "./draft.ts";
import { prepareSlides } from "./slides.ts";
import { prepareText } from "./text-document.ts";
import { prepareWorkbook } from "./workbook.ts";

/** A document to prepare for a converter. */
interface PreparationInput {
  /** Local path; the pre-check has read it. */
  readonly file: string;
  readonly facts: Pick<OfficeFacts, "sheets" | "cells" | "lastRow" | "lastColumn">;
  /** The document's own name with its extension, which its fields may print; the local file has another name. */
  readonly fileName: string;
  readonly signal: AbortSignal;
}

/**
 * Returns the file to convert: the document itself, or a copy at `copy` in which everything that converters would print
 * differently from Office is replaced by what Office prints. Throws `DocumentError` and the signal's reason.
 */
export async function prepareOffice(
  { file, facts, fileName, signal }: PreparationInput,
  copy: string,
): Promise<string> {
  try {
    const isCopied = await withParts(file, signal, async (parts) => {
      const draft = draftOf(parts);
      await prepare(draft, { facts, fileName });
      if (draft.isChanged) await draft.write(copy);
      return draft.isChanged;
    });
    return isCopied === true ? copy : file;
  } catch (cause) {
    throw refusal(cause);
  }
}

async function prepare(draft: Draft, { facts, fileName }: Pick<PreparationInput, "facts" | "fileName">): Promise<void> {
  switch (draft.office.kind.format) {
    case "docx":
      return prepareText(draft, fileName);
    case "pptx":
      return prepareSlides(draft);
    case "xlsx":
      return prepareWorkbook(draft, facts, fileName);
    case "pdf":
  }
}
