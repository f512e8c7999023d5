import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.ts";

/** The codes of the Connect protocol, as it writes them. */
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

/** Each code with its number in Connect and the HTTP status that it usually has; statuses as the Connect protocol maps them. */
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

/** Where HTTP tells apart what the codes do not, the server names the kind of the error in its metadata. */
const statusesOfKinds: ReadonlyMap<string, number> = new Map([
  ["too_large", 413],
  ["unsupported", 415],
  ["unprocessable", 422],
]);

/** The code that answers spell in capitals; "unknown" for one that is not known. */
export function errorCodeOf(spelled: string): DrsErrorCode {
  return codes.find(([code]) => code === spelled.toLowerCase())?.[0] ?? "unknown";
}

export interface DrsErrorDetails {
  readonly code: DrsErrorCode;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly next?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Every failure of a call, whichever way the call went. */
export class DrsError extends Error {
  override readonly name = "DrsError";
  readonly code: DrsErrorCode;
  /** By which programs tell errors apart, such as DATASET_NOT_FOUND; undefined: the server did not say. */
  readonly reason: string | undefined;
  /** The next step for a person beside the message; undefined: there is none, or the server did not say. */
  readonly next: string | undefined;
  /** The HTTP status, over Connect the one that REST would have answered with; undefined: no answer came. */
  readonly status: number | undefined;
  /** What the server logged the request under; undefined: it did not say. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait before the next try, milliseconds; undefined: it did not say. */
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

/** The failure of a Connect call. `server` names the address in the message when nothing answered there. */
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

/** The failure of a REST call: `{success: false, error, code, reason, next}`, or whatever a proxy in between has answered. */
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

/** What the headers of a refusal say beside it. */
function said(headers: Headers): Pick<DrsErrorDetails, "requestId" | "retryAfterMs"> {
  return {
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(headers.get("retry-after") ?? ""),
  };
}

/** Seconds or a date: RFC 9110, section 10.2.3. */
function retryAfterMs(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Nothing answered, or the connection broke. */
export function unreachable(server: string, cause: unknown): DrsError {
  const reason = innermost(cause);
  return new DrsError({
    code: "unavailable",
    message: `cannot reach ${server}${reason === "" ? "" : `: ${reason}`}`,
    cause,
  });
}

/** Fetch reports every failure of the network as a TypeError. */
export function isNetworkFailure(cause: unknown): boolean {
  return cause instanceof TypeError;
}

function innermost(cause: unknown): string {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (!(at instanceof Error)) return "";
  // Node gathers the failures of each address that a name has; their message is empty, the code says it.
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
    // Not JSON: a proxy's page. Status and reason say what there is to say.
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
