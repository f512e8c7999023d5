import { actOf } from "../audit/event.ts";
import type { Authenticate } from "../authenticate.ts";
import type { Actor, Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { DomainError, forbidden, notFound } from "../errors.ts";
import { newSessionId, newSignInCodeId, type OrganisationId, parseSessionId, parseSignInCodeId } from "../ids.ts";
import { formatSecret, hashSecret, matchesSecret, newSecret, parseSecret } from "../secrets.ts";
import { codeMs, type Holder, isOpen, type Session, sessionMs, type SignedIn, type SignInCode } from "./session.ts";

/** Lists the caller's open sessions, oldest first. */
export async function listSessions(
  { metadata, clock }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Session[]> {
  const now = clock();
  const sessions = await metadata.sessions.list(holderIn(caller.actor));
  return sessions.filter((session) => isOpen(session, now));
}

/**
 * Ends one of the caller's sessions. If it is not the session of the call, what it has created ends too: whoever ends
 * a session from elsewhere does not trust its browser. Throws `not_found` for a session of another holder.
 */
export async function endSession(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const id = parseSessionId(input.id);
  const event = actOf(caller, { action: "session.end", target: input.id }, clock());
  const how = { isDistrusted: id !== caller.sessionId, event };
  if (id === undefined || !(await metadata.sessions.end(holderIn(caller.actor), id, how))) {
    throw notFound(`you have no session ${JSON.stringify(input.id)}`);
  }
}

/** The holder whom a credential signs in. */
export interface SignInOffer {
  /** A key may have no name. */
  readonly name: string;
  readonly organisationName: string;
}

interface SignInInput {
  /** A personal token, an API key or a code. */
  readonly credential: string;
  /** The browser's user agent. */
  readonly agent: string;
}

const maxAgentLength = 256;

/** Begins a session. Throws `forbidden`, always with the same sentence, for a credential that is not valid. */
export async function signIn(
  domain: Pick<Domain, "metadata" | "clock">,
  { authenticate, input }: { authenticate: Authenticate; input: SignInInput },
): Promise<SignedIn> {
  const principal = await holderOf(domain, authenticate, input.credential);
  if (principal.code !== undefined && !(await domain.metadata.sessions.useCode(principal.code))) throw refused();
  return beginSession(domain, principal, input.agent);
}

/** Shows whom a credential would sign in; a code is not used up. Throws `forbidden` as `signIn` does. */
export async function showSignIn(
  domain: Pick<Domain, "metadata" | "clock">,
  { authenticate, input }: { authenticate: Authenticate; input: { credential: string } },
): Promise<SignInOffer> {
  const { organisationId, holder } = await holderOf(domain, authenticate, input.credential);
  const { keys, members, organisations } = domain.metadata;
  const [self, organisation] = await Promise.all([
    holder.kind === "key" ? keys.get(holder.keyId) : members.get(organisationId, holder.memberId),
    organisations.get(organisationId),
  ]);
  if (self === undefined) throw refused();
  return { name: self.name, organisationName: organisation?.name ?? "" };
}

/** Begins a session of a holder whose identity is proven. `agent` is the browser's user agent. */
export async function beginSession(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { organisationId, holder }: Principal,
  agent: string,
): Promise<SignedIn> {
  const now = clock();
  const [secret, pageSecret] = [newSecret(), newSecret()];
  const session: Session = {
    id: newSessionId(),
    organisationId,
    holder,
    secretSha256: hashSecret(secret),
    pageSecretSha256: hashSecret(pageSecret),
    agent: agent.slice(0, maxAgentLength),
    createdAt: now,
    lastUsedAt: null,
    expiresAt: now + sessionMs,
  };
  const event = actOf({ organisationId, actor: holder }, { action: "session.begin", target: session.id }, now);
  await metadata.sessions.create(session, event);
  return { session, secret: formatSecret("drss", session.id, secret), pageSecret };
}

/** Creates a code that signs a browser in as the caller. */
export async function createSignInCode(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { caller }: { caller: Caller },
): Promise<{ readonly code: string; readonly expiresAt: number }> {
  const secret = newSecret();
  const code: SignInCode = {
    id: newSignInCodeId(),
    organisationId: caller.organisationId,
    holder: holderIn(caller.actor),
    secretSha256: hashSecret(secret),
    expiresAt: clock() + codeMs,
  };
  await metadata.sessions.createCode(code);
  return { code: formatSecret("drsc", code.id, secret), expiresAt: code.expiresAt };
}

/** The holder of a caller's sessions. */
function holderIn(actor: Actor): Holder {
  return actor.kind === "key" ? { kind: "key", keyId: actor.keyId } : { kind: "member", memberId: actor.memberId };
}

interface Principal {
  readonly organisationId: OrganisationId;
  readonly holder: Holder;
}

async function holderOf(
  domain: Pick<Domain, "metadata" | "clock">,
  authenticate: Authenticate,
  text: string,
): Promise<Principal & { readonly code?: SignInCode["id"] }> {
  const credential = text.trim();
  if (!credential.startsWith("drsc_")) return holderOfCredential(authenticate, credential);
  const { id: code, organisationId, holder } = await findCode(domain, credential);
  return { organisationId, holder, code };
}

async function findCode({ metadata, clock }: Pick<Domain, "metadata" | "clock">, text: string): Promise<SignInCode> {
  const { id, secret } = parseSecret("drsc", text);
  const codeId = parseSignInCodeId(id);
  const code = codeId && (await metadata.sessions.getCode(codeId));
  if (!matchesSecret(secret, code) || code === undefined || code.expiresAt <= clock()) throw refused();
  return code;
}

async function holderOfCredential(authenticate: Authenticate, credential: string): Promise<Principal> {
  try {
    const { organisationId, actor } = await authenticate(credential, undefined);
    return { organisationId, holder: holderIn(actor) };
  } catch (cause) {
    if (cause instanceof DomainError && cause.kind === "unauthenticated") throw refused();
    throw cause;
  }
}

const refused = (): Error =>
  forbidden("this does not sign you in; it needs a personal token or an API key that works, or a code from drs open");
