import { DocumentError } from "../errors.ts";

/** Errors for the owner of a document that cannot be converted. */
export const conversionSentences = {
  unreadable: () =>
    new DocumentError(
      "damaged",
      "the document cannot be converted; open it in an office program, save it again and upload that",
    ),
  breaksEngine: () =>
    new DocumentError(
      "damaged",
      "the document is built in a way that breaks the converter; save it as PDF yourself and upload that",
    ),
  unknownFormat: (extension: string) => new DocumentError("damaged", `files of type ${extension} cannot be converted`),
  time: (ms: number) =>
    new DocumentError(
      "too-heavy",
      `converting the document takes longer than ${Number((ms / 1000).toFixed(1))} s; split it, or save it as PDF yourself`,
    ),
  memory: (bytes: number) =>
    new DocumentError(
      "too-heavy",
      `converting the document needs more memory than ${Math.round(bytes / 2 ** 20)} MB; split it, or save it as PDF yourself`,
    ),
  /** Used by the caller, who counts the pages. */
  tooManyPages: (max: number) =>
    new DocumentError(
      "too-heavy",
      `the spreadsheet prints on more than ${max} pages; set print areas or hide what is not needed, and upload it again`,
    ),
} as const;
