/** Kinds of problems with a zip container. `limit` means that it exceeds a limit. */
export type ArchiveFault = "damaged" | "encrypted" | "limit";

/** Thrown if a zip container cannot be read; the message is the second half of a sentence: `its … `. */
export class ArchiveError extends Error {
  readonly fault: ArchiveFault;

  constructor(fault: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
    this.fault = fault;
  }
}

export const damaged = (message: string, options?: ErrorOptions): ArchiveError =>
  new ArchiveError("damaged", message, options);
