import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.ts";

/** The error codes of the Connect protocol, in its spelling. */
export type DrsErrorCode =
  | "canceled"
  | "unknown"
  | "invalid_argument"
  | "deadline_exceeded"
  | "not_found"
  | "already_exists"
  | "permission_denied"
  | "resource_exhausted"
  | "failed_precondition"
  | "aborted"
  | "out_of_range"
  | "unimplemented"
  | "internal"
  | "unavailable"
  | "data_loss"
  | "unauthenticated";

/** Each code with its number in Connect and its usual HTTP status, as mapped by the Connect protocol. */
const codes: readonly (readonly [DrsErrorCode, Code, number])[] = [
  ["canceled", Code.Canceled, 499],
  ["unknown", Code.Unknown, 500],
  ["invalid_argument", Code.InvalidArgument, 400],
  ["deadline_exceeded", Code.DeadlineExceeded, 504],
  ["not_found", Code.NotFound, 404],
  ["already_exists", Code.AlreadyExists, 409],
  ["permission_denied", Code.PermissionDenied, 403],
  ["resource_exhausted", Code.ResourceExhausted, 429],
  ["failed_precondition", Code.FailedPrecondition, 400],
  ["aborted", Code.Aborted, 409],
  ["out_of_range", Code.OutOfRange, 400],
  ["unimplemented", Code.Unimplemented, 501],
  ["internal", Code.Internal, 500],
  ["unavailable", Code.Unavailable, 503],
  ["data_loss", Code.DataLoss, 500],
  ["unauthenticated", Code.Unauthenticated, 401],
];

/** HTTP statuses of errors that share a Connect code: the server names the kind of error in the metadata. */
const statusesOfKinds: ReadonlyMap<string, number> = new Map([
  ["too_large", 413],
  ["unsupported", 415],
  ["unprocessable", 422],
]);

/** Returns the code that responses spell in capitals; "unknown" for an unknown one. */
export function errorCodeOf(spelled: string): DrsErrorCode {
  return codes.find(([code]) => code === spelled.toLowerCase())?.[0] ?? "unknown";
}

interface DrsErrorDetails {
  readonly code: DrsErrorCode;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly next?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Any failure of a call, whatever protocol it used. */
export class DrsError extends Error {
  override readonly name = "DrsError";
  readonly code: DrsErrorCode;
  /** The reason by which programs tell errors apart, such as DATASET_NOT_FOUND; undefined if the server gave none. */
  readonly reason: string | undefined;
  /** The next step for a person, beside the message; undefined if the server gave none. */
  readonly next: string | undefined;
  /** The HTTP status; over Connect, the one that REST would have returned; undefined if there was no response. */
  readonly status: number | undefined;
  /** The id under which the server logged the request; undefined if it did not say. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait before the next try, milliseconds; undefined if it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, reason, next, status, requestId, retryAfterMs, cause }: DrsErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.reason = reason;
    this.next = next;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Converts the failure of a Connect call. The message names `server` if nothing answered there. */
export function errorFromCall(cause: unknown, server: string): DrsError {
  if (cause instanceof DrsError) return cause;
  const error = ConnectError.from(cause);
  if (isNetworkFailure(error.cause)) return unreachable(server, error.cause);
  const [code, , usual] =
    codes.find(([, number]) => number === error.code) ?? (["unknown", Code.Unknown, 500] as const);
  const status = statusesOfKinds.get(error.metadata.get("drs-error-kind") ?? "") ?? usual;
  const [info] = error.findDetails(ErrorInfoSchema);
  const details = { reason: info?.reason, next: info?.metadata["next"] };
  return new DrsError({ code, message: error.rawMessage, ...details, status, ...said(error.metadata), cause });
}

/**
 * Converts the failure of a REST call: `{success: false, error, code, reason, next}`, or whatever a proxy in between has
 * returned.
 */
export async function errorFromResponse(response: Response): Promise<DrsError> {
  const { status } = response;
  const body = await readErrorBody(response);
  const named = codes.find(([code]) => code === body.code?.toLowerCase())?.[0];
  return new DrsError({
    code: named ?? codeOfStatus(status),
    message: body.error ?? `the server answered ${status} ${response.statusText}`.trim(),
    reason: body.reason,
    next: body.next,
    status,
    ...said(response.headers),
  });
}

/** Reads the headers of an error response. */
function said(headers: Headers): Pick<DrsErrorDetails, "requestId" | "retryAfterMs"> {
  return {
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(headers.get("retry-after") ?? ""),
  };
}

/** Reads seconds or a date: RFC 9110, section 10.2.3. */
function retryAfterMs(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Creates the error for a server that did not answer, or a broken connection. */
export function unreachable(server: string, cause: unknown): DrsError {
  const reason = innermost(cause);
  return new DrsError({
    code: "unavailable",
    message: `cannot reach ${server}${reason === "" ? "" : `: ${reason}`}`,
    cause,
  });
}

/** Returns whether fetch reports a failure of the network, which is always a TypeError. */
export function isNetworkFailure(cause: unknown): boolean {
  return cause instanceof TypeError;
}

function innermost(cause: unknown): string {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (!(at instanceof Error)) return "";
  // For a name with several addresses, Node collects the failures; their message is empty, but there is a code.
  const code: unknown = Reflect.get(at, "code");
  return at.message !== "" ? at.message : typeof code === "string" ? code : "";
}

type ErrorBody = Partial<Record<"error" | "code" | "reason" | "next", string>>;

async function readErrorBody(response: Response): Promise<ErrorBody> {
  try {
    const body: unknown = await response.json();
    if (typeof body !== "object" || body === null) return {};
    const named = new Map<string, unknown>(Object.entries(body));
    const fields = (["error", "code", "reason", "next"] as const).flatMap((name) => {
      const value = named.get(name);
      return typeof value === "string" ? [[name, value]] : [];
    });
    return Object.fromEntries(fields);
  } catch {
    // Not JSON but the page of a proxy: only status and reason are known.
    return {};
  }
}

function codeOfStatus(status: number): DrsErrorCode {
  if (status === 413) return "resource_exhausted";
  if (status === 415 || status === 422) return "invalid_argument";
  if (status === 502 || status === 503) return "unavailable";
  const match = codes.find(([, , usual]) => usual === status)?.[0];
  return match ?? (status >= 400 && status < 500 ? "invalid_argument" : "unknown");
}
