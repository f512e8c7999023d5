/** What is wrong with a zip container. `limit`: it asks for more than is given. */
export type ArchiveFault = "damaged" | "encrypted" | "limit";

/** A zip container cannot be read; the message says why, as the second half of a sentence: `its … `. */
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
