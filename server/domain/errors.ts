/**
 * What can go wrong that a caller can act on. Every other error is a bug.
 * The transport maps each kind to one Connect code and one HTTP status.
 */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "too_large"
  | "rate_limited"
  | "unsupported"
  | "unprocessable"
  | "storage_full"
  | "unavailable";

export interface DomainErrorOptions extends ErrorOptions {
  /** When it may be different, in whole seconds. */
  readonly retryAfterSeconds?: number;
}

/** An error whose message is a sentence for the caller: what is wrong and, where there is one, the next step. */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, options: DomainErrorOptions = {}) {
    super(message, options);
    this.name = "DomainError";
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const invalid = (message: string, options?: ErrorOptions): DomainError =>
  new DomainError("invalid", message, options);
export const unauthenticated = (message: string): DomainError => new DomainError("unauthenticated", message);
export const forbidden = (message: string, options?: ErrorOptions): DomainError =>
  new DomainError("forbidden", message, options);
export const notFound = (message: string): DomainError => new DomainError("not_found", message);
export const conflict = (message: string): DomainError => new DomainError("conflict", message);
export const tooLarge = (message: string): DomainError => new DomainError("too_large", message);
export const rateLimited = (message: string, options?: DomainErrorOptions): DomainError =>
  new DomainError("rate_limited", message, options);
export const unsupported = (message: string): DomainError => new DomainError("unsupported", message);
/** The request is right, but the stored document cannot give what it asks for: a page that does not render. */
export const unprocessable = (message: string): DomainError => new DomainError("unprocessable", message);
/** The disk of the store has no room for the data of the request; nothing of it is kept. */
export const storageFull = (message: string, options?: DomainErrorOptions): DomainError =>
  new DomainError("storage_full", message, options);
export const unavailable = (message: string, options?: DomainErrorOptions): DomainError =>
  new DomainError("unavailable", message, options);
