/**
 * The kinds of errors that a caller can act on. Every other error is a bug.
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

interface ReasonDefinition {
  readonly kind: ErrorKind;
  /** A sentence for the reference of errors. */
  readonly meaning: string;
  /** The next step, as the command line shows it; empty if the message of the error says it. */
  readonly next: string;
}

const noSuchDataset = "drs datasets list and drs jobs list show the existing ids";

/**
 * The table of errors. A program tells errors apart by their reason, never by their message. The first reason of a
 * kind applies to every error of that kind that has no reason of its own.
 */
export const errorReasons = {
  INVALID_ARGUMENT: {
    kind: "invalid",
    meaning: "A field, a parameter or a header has a value that is not valid.",
    next: "",
  },

  UNAUTHENTICATED: {
    kind: "unauthenticated",
    meaning: "The request has no credential, or one that is unknown, expired or revoked.",
    next: "",
  },
  SESSION_ENDED: { kind: "unauthenticated", meaning: "The session of the browser has ended.", next: "" },

  PERMISSION_DENIED: { kind: "forbidden", meaning: "The caller may not do this.", next: "" },
  SCOPE_MISSING: {
    kind: "forbidden",
    meaning: "The API key lacks the scope that the method needs.",
    next: "use a key with that scope: drs keys create --scopes read,write,search",
  },
  ROLE_INSUFFICIENT: {
    kind: "forbidden",
    meaning: "The role of the member does not include the scope that the method needs.",
    next: "an admin gives another one with: drs members role MEMBER ROLE; drs whoami shows yours",
  },
  OWNER_REQUIRED: {
    kind: "forbidden",
    meaning: "Only owners of the organisation may do this.",
    next: "drs whoami shows who you are to the server, and what you may do",
  },
  OPERATOR_REQUIRED: {
    kind: "forbidden",
    meaning: "Only the operators of the service may do this.",
    next: "drs whoami shows who you are to the server, and what you may do",
  },
  FILTER_VIOLATED: {
    kind: "forbidden",
    meaning: "The API key is bound to a filter that the metadata of the dataset does not pass.",
    next: "say it with --meta, such as --meta customer=42, or use another key",
  },
  INVITATION_INVALID: {
    kind: "forbidden",
    meaning: "The invitation is unknown, expired or used.",
    next: "who manages the organisation makes one with: drs members invite NAME --role ROLE",
  },
  LINK_INVALID: { kind: "forbidden", meaning: "The share link is not valid or has expired.", next: "" },

  NOT_FOUND: { kind: "not_found", meaning: "The thing does not exist, or belongs to another workspace.", next: "" },
  DATASET_NOT_FOUND: { kind: "not_found", meaning: "The workspace has no such dataset.", next: noSuchDataset },
  JOB_NOT_FOUND: { kind: "not_found", meaning: "The workspace has no such job.", next: noSuchDataset },
  UPLOAD_SESSION_NOT_FOUND: {
    kind: "not_found",
    meaning: "The workspace has no such upload session; it may have expired.",
    next: "drs uploads list shows the unfinished uploads",
  },
  WORKSPACE_NOT_FOUND: {
    kind: "not_found",
    meaning: "The organisation has no such workspace.",
    next: "drs workspaces list shows the workspaces; an API key works in its own workspace only",
  },
  ORGANISATION_NOT_FOUND: {
    kind: "not_found",
    meaning: "The service has no such organisation.",
    next: "drs orgs list shows the organisations",
  },
  PLAN_NOT_FOUND: {
    kind: "not_found",
    meaning: "The service has no such plan.",
    next: "drs plans list shows the plans",
  },
  KEY_NOT_FOUND: {
    kind: "not_found",
    meaning: "The organisation has no such API key.",
    next: "drs keys list shows the keys",
  },
  MEMBER_NOT_FOUND: {
    kind: "not_found",
    meaning: "The organisation has no such member.",
    next: "drs members list shows the members",
  },
  INVITATION_NOT_FOUND: {
    kind: "not_found",
    meaning: "The organisation has no such open invitation.",
    next: "drs members invitations shows the invitations",
  },
  WEBHOOK_NOT_FOUND: {
    kind: "not_found",
    meaning: "The workspace has no such webhook.",
    next: "drs webhooks list shows the webhooks",
  },
  MODEL_PACK_NOT_FOUND: {
    kind: "not_found",
    meaning: "The model pack is not installed on the server.",
    next: "drs models pull brings one to the server's machine",
  },

  CONFLICT: { kind: "conflict", meaning: "The state of the thing does not allow this now.", next: "" },
  ALREADY_VECTORIZED: { kind: "conflict", meaning: "The dataset has been vectorized already.", next: "" },
  JOB_RUNNING: {
    kind: "conflict",
    meaning: "A job works on the dataset.",
    next: "drs jobs list shows it; drs jobs watch waits for it, drs jobs cancel ends it",
  },
  JOB_ENDED: { kind: "conflict", meaning: "The job has ended already.", next: "" },
  UPLOAD_SESSION_ENDED: { kind: "conflict", meaning: "The upload session has ended already.", next: "" },
  IDEMPOTENCY_KEY_IN_USE: {
    kind: "conflict",
    meaning: "The first request with the same Idempotency-Key is still in progress.",
    next: "",
  },
  IDEMPOTENCY_KEY_REUSED: {
    kind: "unprocessable",
    meaning: "The Idempotency-Key was used for another request.",
    next: "",
  },
  LAST_OWNER: { kind: "conflict", meaning: "The organisation would be left without an owner.", next: "" },
  NAME_TAKEN: { kind: "conflict", meaning: "The name is taken.", next: "" },

  TOO_LARGE: {
    kind: "too_large",
    meaning: "The request, or a part of it, is larger than the server accepts.",
    next: "",
  },
  DOCUMENT_TOO_LARGE: {
    kind: "too_large",
    meaning: "The document is larger than the server or the plan accepts.",
    next: "upload a smaller document, or raise --max-document-bytes where the server is started",
  },
  STORAGE_LIMIT_REACHED: {
    kind: "too_large",
    meaning: "The plan of the organisation has no room for the document.",
    next: "drs usage shows what is stored; drs datasets delete and drs uploads abort make room",
  },

  RATE_LIMITED: {
    kind: "rate_limited",
    meaning: "There were more requests than the plan, the key or the server allows.",
    next: "wait a moment and try again, or ask the server's owner for more",
  },

  UNSUPPORTED: { kind: "unsupported", meaning: "The content or its encoding is not supported.", next: "" },
  FORMAT_UNSUPPORTED: {
    kind: "unsupported",
    meaning: "The content is none of the formats that drs reads, is damaged, or needs a password.",
    next: "",
  },

  UNPROCESSABLE: {
    kind: "unprocessable",
    meaning: "The request is right, but the stored document cannot give what it asks for.",
    next: "",
  },

  STORAGE_FULL: {
    kind: "storage_full",
    meaning: "The disk of the store is full. Nothing of the request is kept.",
    next: "make room there; drs datasets delete does so also when it is full",
  },

  UNAVAILABLE: { kind: "unavailable", meaning: "The server or a store that it needs cannot serve now.", next: "" },
} as const satisfies Readonly<Record<string, ReasonDefinition>>;

export type ErrorReason = keyof typeof errorReasons;

/** The reasons of one kind. */
type ReasonOf<Kind extends ErrorKind> = {
  [Reason in ErrorReason]: (typeof errorReasons)[Reason]["kind"] extends Kind ? Reason : never;
}[ErrorReason];

const reasonsOfKinds = {
  invalid: "INVALID_ARGUMENT",
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  too_large: "TOO_LARGE",
  rate_limited: "RATE_LIMITED",
  unsupported: "UNSUPPORTED",
  unprocessable: "UNPROCESSABLE",
  storage_full: "STORAGE_FULL",
  unavailable: "UNAVAILABLE",
} as const satisfies { readonly [Kind in ErrorKind]: ReasonOf<Kind> };

export interface DomainErrorOptions<Reason extends ErrorReason = ErrorReason> extends ErrorOptions {
  /** By default the first reason of the kind. */
  readonly reason?: Reason;
  /** When a retry may succeed, in whole seconds. */
  readonly retryAfterSeconds?: number;
}

/** An error whose message is a sentence for the caller: the problem and, if there is one, the next step. */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly reason: ErrorReason;
  /** The next step that the table gives for the reason; empty if the message says it. */
  readonly next: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, { reason, retryAfterSeconds, ...options }: DomainErrorOptions = {}) {
    super(message, options);
    this.name = "DomainError";
    this.kind = kind;
    this.reason = reason ?? reasonsOfKinds[kind];
    this.next = errorReasons[this.reason].next;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Make<Kind extends ErrorKind> = (message: string, options?: DomainErrorOptions<ReasonOf<Kind>>) => DomainError;

const makerOf =
  <Kind extends ErrorKind>(kind: Kind): Make<Kind> =>
  (message, options) =>
    new DomainError(kind, message, options);

export const invalid = makerOf("invalid");
export const unauthenticated = makerOf("unauthenticated");
export const forbidden = makerOf("forbidden");
export const notFound = makerOf("not_found");
export const conflict = makerOf("conflict");
export const tooLarge = makerOf("too_large");
export const rateLimited = makerOf("rate_limited");
export const unsupported = makerOf("unsupported");
/** The request is valid, but the stored document cannot fulfil it: for example, the page does not render. */
export const unprocessable = makerOf("unprocessable");
/** The disk of the store has no room for the data of the request; none of the data is stored. */
export const storageFull = makerOf("storage_full");
export const unavailable = makerOf("unavailable");
