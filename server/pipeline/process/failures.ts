import { DomainError, type ErrorKind } from "../../domain/errors.ts";
import { DocumentError, type DocumentFault, PageError } from "../errors.ts";

/** An error as it is transferred between threads or processes, where its type would not survive. */
export type ExpectedFailure =
  | { readonly kind: "document-error"; readonly fault: DocumentFault; readonly message: string }
  | { readonly kind: "page-error"; readonly page: number; readonly message: string }
  | { readonly kind: "domain-error"; readonly error: ErrorKind; readonly message: string };

/** `bug` is an unexpected error with its stack. */
export type Failure = ExpectedFailure | { readonly kind: "bug"; readonly message: string };

export function failureOf(cause: unknown): Failure {
  if (cause instanceof DocumentError) return { kind: "document-error", fault: cause.fault, message: cause.message };
  if (cause instanceof PageError) return { kind: "page-error", page: cause.page, message: cause.message };
  if (cause instanceof DomainError) return { kind: "domain-error", error: cause.kind, message: cause.message };
  return { kind: "bug", message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "document-error":
      return new DocumentError(failure.fault, failure.message);
    case "page-error":
      return new PageError(failure.page, failure.message);
    case "domain-error":
      return new DomainError(failure.error, failure.message);
    case "bug":
      return new Error(`in another process: ${failure.message}`);
  }
}
