import { DocumentError } from "../errors.ts";

export type EngineName = "soffice" | "wasm";

/** The formats that converters distinguish; templates and macro-enabled variants are converted like the plain format. */
export type OfficeFormat = "docx" | "pptx" | "xlsx";

export interface ConversionJob {
  /** The document as a local file; it is only read. */
  readonly input: string;
  readonly format: OfficeFormat;
  /** Path of the PDF to write. After a failure no file is left. */
  readonly output: string;
  /** Time limit from the moment when the engine begins with the document. The engine's own start does not count. */
  readonly timeoutMs: number;
  /** The last page of the PDF, for spreadsheets only; undefined for all pages. */
  readonly lastPage?: number | undefined;
}

export type Availability =
  | { readonly available: true; readonly version: string; readonly location: string }
  | { readonly available: false; readonly reason: string };

/** A program that converts Office documents to PDF. */
export interface Converter {
  readonly name: EngineName;
  /**
   * Returns whether the converter can be used on this machine, which is determined once. The caller bounds how many conversions
   * run at a time.
   */
  available(): Promise<Availability>;
  /**
   * Writes a complete PDF to `output`. Throws `DocumentError` if the document is at fault, `EngineFailure` if the engine is, and
   * the signal's reason, each only after everything that the conversion started has been killed.
   */
  convert(job: ConversionJob, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

type EngineFault = "start" | "crash" | "stall";

/**
 * A failure of the engine that proves nothing about the document; another engine may succeed. `start`: the engine did not start.
 * `crash`: it died or ended without a result. `stall`: it stopped making progress.
 */
export class EngineFailure extends Error {
  readonly engine: EngineName;
  readonly kind: EngineFault;

  constructor(engine: EngineName, kind: EngineFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineFailure";
    this.engine = engine;
    this.kind = kind;
  }
}

const formats: Readonly<Record<string, OfficeFormat>> = {
  docx: "docx",
  docm: "docx",
  dotx: "docx",
  dotm: "docx",
  pptx: "pptx",
  pptm: "pptx",
  potx: "pptx",
  potm: "pptx",
  ppsx: "pptx",
  ppsm: "pptx",
  xlsx: "xlsx",
  xlsm: "xlsx",
  xltx: "xlsx",
  xltm: "xlsx",
};

/** Returns the format of a file extension (without its dot), or undefined if no converter accepts it. */
export function officeFormat(extension: string): OfficeFormat | undefined {
  const name = extension.toLowerCase();
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

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
