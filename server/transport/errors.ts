import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@drs/client/gen/google/rpc/error_details_pb";
import { DomainError, type ErrorKind } from "../domain/errors.ts";
import { refusalOf, storageFaultOf } from "../domain/storage-fault.ts";
import { logFault } from "../logging/log-fault.ts";
import type { RequestRecord } from "./http/exchange.ts";

/** The code and status of an error that a caller can act on. */
export interface WireError {
  /** The code over Connect, gRPC and gRPC-Web, and, by name, in the `code` of a REST error. */
  readonly code: Code;
  /** The HTTP status over REST. */
  readonly status: number;
}

/**
 * The one table of errors. HTTP statuses distinguish more than the codes do (a 415 is an InvalidArgument like any other
 * 400), so the kind itself travels in the metadata `drs-error-kind`.
 */
export const wireErrors: Readonly<Record<ErrorKind, WireError>> = {
  invalid: { code: Code.InvalidArgument, status: 400 },
  unauthenticated: { code: Code.Unauthenticated, status: 401 },
  forbidden: { code: Code.PermissionDenied, status: 403 },
  not_found: { code: Code.NotFound, status: 404 },
  conflict: { code: Code.AlreadyExists, status: 409 },
  too_large: { code: Code.ResourceExhausted, status: 413 },
  rate_limited: { code: Code.ResourceExhausted, status: 429 },
  unsupported: { code: Code.InvalidArgument, status: 415 },
  unprocessable: { code: Code.FailedPrecondition, status: 422 },
  storage_full: { code: Code.ResourceExhausted, status: 507 },
  unavailable: { code: Code.Unavailable, status: 503 },
};

/** Statuses of errors without a kind, which come from the protocol and not from the domain. */
const statuses: Partial<Record<Code, number>> = {
  [Code.Canceled]: 499,
  [Code.InvalidArgument]: 400,
  [Code.OutOfRange]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 413,
  [Code.FailedPrecondition]: 422,
  [Code.Aborted]: 409,
  [Code.Unimplemented]: 501,
  [Code.Unavailable]: 503,
  [Code.Unauthenticated]: 401,
};

/** Metadata (header or trailer) that carries the kind of a domain error to clients. */
export const errorKindHeader = "drs-error-kind";

/** An error that exists only in HTTP, with its own status and headers. */
export class HttpError extends ConnectError {
  readonly status: number;

  constructor(status: number, code: Code, message: string, headers?: Record<string, string>) {
    super(message, code, headers);
    this.status = status;
  }

  /** ConnectError recognises instances by their properties, which would make every one of them an HttpError. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && ConnectError[Symbol.hasInstance](value) && "status" in value;
  }
}

export function noSuchPath(path: string): HttpError {
  return new HttpError(404, Code.NotFound, `there is nothing at ${path}; /docs describes the API`);
}

/**
 * Turns anything that was thrown into an error that the caller may see. Domain errors and errors made for the wire keep
 * their message. Anything else, even if wrapped for the wire, is a bug: it is logged with its stack, and the answer has
 * nothing but the request id.
 */
export function toConnectError(cause: unknown, record: RequestRecord | undefined, signal?: AbortSignal): ConnectError {
  const error = publicError(cause, record, signal);
  if (record !== undefined) record.code = codeName(error.code);
  return error;
}

/** The same for an error within an answer, where the call itself has not failed. */
export function publicError(
  cause: unknown,
  record: RequestRecord | undefined,
  signal: AbortSignal | undefined,
): ConnectError {
  if (cause instanceof DomainError) {
    // A message may quote the caller's input, and half a surrogate pair cannot be written into gRPC trailers.
    const sentence = cause.message.toWellFormed();
    const metadata: Record<string, string> = { [errorKindHeader]: cause.kind };
    if (cause.retryAfterSeconds !== undefined) metadata["retry-after"] = String(cause.retryAfterSeconds);
    return new ConnectError(sentence, wireErrors[cause.kind].code, metadata, [errorInfoOf(cause)], cause);
  }
  if (cause instanceof ConnectError && !isInternal(cause.code)) return cause;
  // A stopped handler may fail in any way; the error is the reason for stopping it, not what broke afterwards.
  if (signal?.aborted === true) {
    const reason: unknown = signal.reason;
    return reason instanceof ConnectError ? reason : new ConnectError("the request was cancelled", Code.Canceled);
  }
  if (cause instanceof ConnectError && (record === undefined || cause.cause === undefined)) {
    record?.log.warn({ err: cause, method: record.method }, "request failed");
    return cause;
  }
  const fault = storageFaultOf(cause);
  if (fault !== undefined) {
    if (record !== undefined) logFault(record.log, "error", { err: cause, method: record.method }, "request refused");
    return publicError(refusalOf(fault, cause), record, signal);
  }
  record?.log.error({ err: cause, method: record.method }, "request failed because of a bug");
  return new ConnectError(
    `something went wrong inside the server; its log says more under the request id ${record?.id ?? "unknown"}`,
    Code.Internal,
  );
}

/** The detail by which programs tell errors apart (`google.rpc.ErrorInfo`). */
function errorInfoOf({ reason, next }: DomainError): {
  desc: typeof ErrorInfoSchema;
  value: MessageInitShape<typeof ErrorInfoSchema>;
} {
  return { desc: ErrorInfoSchema, value: { reason, domain: "drs", metadata: next === "" ? {} : { next } } };
}

/** The reason of an error and the next step, in REST. Errors of the protocol have no reason of their own, but a code. */
export function reasonOf({ cause, code }: ConnectError): { readonly reason: string; readonly next?: string } {
  if (!(cause instanceof DomainError)) return { reason: codeName(code) };
  return { reason: cause.reason, ...(cause.next !== "" && { next: cause.next }) };
}

function isInternal(code: Code): boolean {
  return code === Code.Internal || code === Code.Unknown || code === Code.DataLoss;
}

/** `InvalidArgument` → `INVALID_ARGUMENT`. */
export function codeName(code: Code): string {
  return (Code[code] ?? "Unknown").replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
}

/** The HTTP status of an error in REST. */
export function statusOf(error: ConnectError): number {
  if (error instanceof HttpError) return error.status;
  const kind = error.metadata.get(errorKindHeader);
  if (kind !== null && isKind(kind)) return wireErrors[kind].status;
  return statuses[error.code] ?? 500;
}

function isKind(text: string): text is ErrorKind {
  return Object.hasOwn(wireErrors, text);
}
