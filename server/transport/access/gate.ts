import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Authenticate } from "../../domain/authenticate.ts";
import { type Caller, type KeyScope, keyScopes } from "../../domain/caller.ts";
import { DomainError, forbidden, unauthenticated } from "../../domain/errors.ts";
import { type SessionProof, freshMs } from "../../domain/sessions/session.ts";
import { type Admission, type Admitted, anonymous, type WorkKind, workKindOf } from "../limits/admission.ts";
import { toConnectError } from "../errors.ts";
import { answerKey, type RequestRecord, recordKey } from "../http/exchange.ts";
import type { Parties } from "../limits/fair-limit.ts";
import { sessionIn } from "./session-cookie.ts";
import type { Rates } from "../limits/rates.ts";
import { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { OrganisationService } from "@drs/client/gen/drs/v1/organisations_pb";
import { SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import { WebhookService } from "@drs/client/gen/drs/v1/webhooks_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { readOnce } from "../read-once.ts";

/** The caller; undefined only in methods that are open to everyone. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** The credential that the caller sends with every call; undefined only if there is no caller. */
export const credentialKey = createContextKey<string | undefined>(undefined, { description: "credential" });

/**
 * The call's place among the concurrent requests, so that the implementation can count it for parties that only it
 * knows.
 */
export const admittedKey = createContextKey<Admitted | undefined>(undefined, { description: "admitted request" });

/** Counts further requests for a call, besides the call itself. Throws `rate_limited`. */
export const countMoreKey = createContextKey<(count: number) => Promise<void>>(async () => undefined, {
  description: "count more requests",
});

/** Checks a call before any of its body is read. */
export type Gate = (context: HandlerContext) => Promise<void>;

/**
 * Admits only callers that may call the method by its `access` option. It runs as the gate of every protocol, before
 * the interceptors: no body is received from a caller without a key, nor beyond the caller's rate or the server's
 * capacity.
 */
export function createGate(authenticate: Authenticate, limits: GateLimits): Gate {
  const { rates } = limits;
  return async (context) => {
    const record = context.values.get(recordKey);
    context.values.set(answerKey, context);
    try {
      const needed = accessOf(context.method);
      let parties: Parties = { caller: anonymous };
      if (needed !== "public") {
        const header = context.requestHeader;
        const credential = credentialIn(header) ?? sessionIn(header, record?.baseUrl ?? "");
        const caller = await authenticate(credential, header.get("x-workspace")?.trim()).catch(
          async (cause: unknown) => {
            const isWrong = cause instanceof DomainError && cause.kind === "unauthenticated";
            // A request without a credential is not an attempt to sign in.
            if (isWrong && credential !== undefined) await rates?.countFailure(record?.remoteAddress ?? "", context);
            throw cause;
          },
        );
        if (record !== undefined) record.caller = caller;
        context.values.set(credentialKey, typeof credential === "object" ? secretsOf(credential) : credential);
        await rates?.countCall(caller, context);
        context.values.set(countMoreKey, async (count) => rates?.countCall(caller, context, count));
        if (needed !== "any") requireScope(caller, needed);
        requireFreshSignIn(context.method, caller);
        if (takesUserCode(context.method)) await rates?.countLookUp(caller, record?.remoteAddress ?? "", context);
        context.values.set(callerKey, caller);
        parties = partiesOf(caller);
      }
      admit(context, workKindOf(context.method), parties, limits);
    } catch (cause) {
      throw toConnectError(cause, record, context.signal);
    }
  };
}

/** The gate of methods that are open to everyone and count as another kind of work than their shape suggests. */
export function createOpenGate(kindOf: (method: DescMethod) => WorkKind, limits: GateLimits): Gate {
  return async (context) => {
    try {
      admit(context, kindOf(context.method), { caller: anonymous }, limits);
    } catch (cause) {
      throw toConnectError(cause, context.values.get(recordKey), context.signal);
    }
  };
}

function admit(
  { method, signal, values }: HandlerContext,
  kind: WorkKind,
  parties: Parties,
  { admission, networkOf }: GateLimits,
): void {
  signal.throwIfAborted();
  const record = values.get(recordKey);
  if (record === undefined) throw new Error(`${method.name} was called without a record`);
  const admitted = admission.enter(kind, { ...parties, address: networkOf(record) });
  record.hold(admitted);
  values.set(admittedKey, admitted);
}

const secretsOf = ({ secret, pageSecret }: SessionProof): string => `${secret} ${pageSecret}`;

/** Whether the method looks up a waiting device by its user code. */
function takesUserCode({ input }: DescMethod): boolean {
  return input.field["userCode"] !== undefined;
}

function partiesOf({ actor, organisationId }: Caller): Parties {
  return { caller: actor.kind === "key" ? actor.keyId : actor.memberId, organisation: organisationId };
}

export interface GateLimits {
  readonly admission: Admission;
  /** The network that a request is counted by; undefined if it is not counted. */
  readonly networkOf: (record: RequestRecord) => string | undefined;
  /** Undefined if requests are not counted. */
  readonly rates: Rates | undefined;
}

/** The API key or personal token in the headers of a request. */
export function credentialIn(header: Pick<Headers, "get">): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(header.get("authorization") ?? "");
  return header.get("x-api-key")?.trim() || bearer?.[1];
}

/** Methods that grant access or return a secret that outlasts the caller's session. */
export const lasting: ReadonlySet<DescMethod> = new Set<DescMethod>([
  DeviceService.method.approveDevice,
  MemberService.method.inviteMember,
  MemberService.method.updateMember,
  OrganisationService.method.createOrganisation,
  SessionService.method.linkIdentity,
  WebhookService.method.createWebhook,
  WebhookService.method.getWebhookSecret,
  WebhookService.method.rotateWebhookSecret,
  WorkspaceService.method.createKey,
  WorkspaceService.method.rotateKey,
]);

/**
 * Access that a session grants must not outlive it: the thief of a session would keep it after the owner has ended the
 * session. So a session creates no other session, and grants lasting access only while the sign-in, which a thief
 * cannot repeat, is fresh. Throws `forbidden` and `unauthenticated`.
 */
function requireFreshSignIn(method: DescMethod, { sessionId, isFresh }: Caller): void {
  if (sessionId === undefined) return;
  if (method === SessionService.method.createSignInCode) {
    throw forbidden("a session makes no codes to sign in with; use a personal token or an API key, or drs open");
  }
  if (lasting.has(method) && isFresh !== true) {
    throw unauthenticated(
      `this gives access that lasts, and you signed in more than ${freshMs / 60_000} minutes ago; sign in again, then repeat it`,
    );
  }
}

/** `any` stands for every authenticated caller. */
type Access = "public" | "any" | KeyScope;

/** The access that a method needs. Throws if the contract does not say, so that no method is open by oversight. */
export const accessOf = readOnce((method: DescMethod): Access => {
  const rules = hasOption(method, access) ? getOption(method, access) : undefined;
  if (rules?.public === true) return "public";
  if (rules?.any === true) return "any";
  const scope = keyScopes.find((candidate) => candidate === rules?.scope);
  if (scope === undefined) throw new Error(`${method.parent.typeName}/${method.name} does not say who may call it`);
  return scope;
});

/** Throws `forbidden` unless the caller's key or role has the scope. */
function requireScope({ actor, scopes }: Caller, scope: KeyScope): void {
  if (scopes.has(scope)) return;
  throw forbidden(
    actor.kind === "key"
      ? `this API key lacks the scope "${scope}"; use a key that has it, or create one with drs keys create`
      : `the role "${actor.role}" lacks the scope "${scope}"; ask an admin of the organisation for another role`,
    { reason: actor.kind === "key" ? "SCOPE_MISSING" : "ROLE_INSUFFICIENT" },
  );
}
