/** The reason why a document cannot be fetched or opened. */
export type DocumentFault = "not-fetched" | "encrypted" | "damaged" | "not-pdf" | "empty" | "too-large" | "too-heavy";

/** The whole document cannot be opened; the message is a sentence for its owner. */
export class DocumentError extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DocumentError";
    this.fault = fault;
  }
}

/** One page cannot be processed; the message is the reason, a sentence for the document's owner. */
export class PageError extends Error {
  readonly page: number;

  constructor(page: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PageError";
    this.page = page;
  }
}

/**
 * An engine broke. Neither the engine nor its open documents can be used any longer.
 * `memory`: it requested more memory than it may have.
 */
export class EngineFault extends Error {
  readonly kind: "memory" | "crash";

  constructor(kind: "memory" | "crash", options?: ErrorOptions) {
    super(kind === "memory" ? "the engine ran out of memory" : "the engine crashed", options);
    this.name = "EngineFault";
    this.kind = kind;
  }
}

/** The job needs a model pack that is not on this machine; a worker on another machine may have it. */
export class PackAbsent extends Error {
  override readonly name = "PackAbsent";

  constructor(pack: string) {
    super(
      `the job waits for a worker that has the model pack ${pack}; ` +
        "if none has it any more, let the operator put another one to use (drs models use)",
    );
  }
}

/** The limit of concurrent fetches is reached, in total or for one organisation. */
export class FetchesFull extends Error {
  override readonly name = "FetchesFull";

  constructor() {
    super("the job waits until fewer documents are being fetched");
  }
}

/** Errors for the owner of a document that cannot be opened. */
export const sentences = {
  encrypted: () =>
    new DocumentError(
      "encrypted",
      "the document is protected by a password; remove the protection and upload it again",
    ),
  damaged: () =>
    new DocumentError(
      "damaged",
      "the document is damaged and cannot be opened; check the file, or save it again and upload that",
    ),
  notPdf: () => new DocumentError("not-pdf", "the file is not a PDF, whatever its name says"),
  empty: () =>
    new DocumentError("empty", "the document has no pages; look at it, add one or save it again, and upload that"),
  tooLarge: () => new DocumentError("too-large", "the document is larger than 4 GB; split it and upload the parts"),
  memory: (bytes: number) =>
    new DocumentError("too-heavy", `opening the document needs more memory than ${megabytes(bytes)}`),
  time: (ms: number) => new DocumentError("too-heavy", `opening the document takes longer than ${seconds(ms)}`),
  crash: () => new DocumentError("damaged", "the document is built in a way that breaks the reader"),
} as const;

/** Reasons why one page cannot be processed. */
export const reasons = {
  unreadable: "the page is damaged and cannot be read",
  undrawable: "the page is damaged and cannot be drawn",
  unsplittable: "the page is damaged and cannot be taken out of the document",
  noSize: "the page has no size",
  memory: (bytes: number): string => `the page needs more memory than ${megabytes(bytes)}`,
  time: (ms: number): string => `the page takes longer than ${seconds(ms)}`,
  crash: "the page is built in a way that breaks the reader",
} as const;

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}
