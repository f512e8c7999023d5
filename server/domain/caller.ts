import { forbidden } from "./errors.ts";
import type { Filter } from "./filters/filter.ts";
import type { KeyId, MemberId, OrganisationId, SessionId, TokenId, WorkspaceId } from "./ids.ts";
import type { MemberRole } from "./members/member.ts";

export const keyScopes = ["read", "write", "search", "admin"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The authenticated caller. Every domain verb takes it and accesses nothing outside its workspace. */
export interface Caller {
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<KeyScope>;
  /** The session of the call; undefined if the call came with a key or a token. */
  readonly sessionId?: SessionId | undefined;
  /** Whether that session began within the last few minutes, so that the caller has just proven their identity. */
  readonly isFresh?: boolean;
  /**
   * The filter that the key is bound to: the caller sees only the datasets that pass it; undefined if it sees all.
   * See `datasets/view.ts`.
   */
  readonly filter?: Filter | undefined;
  /** Whether the organisation is the one that runs the service. */
  readonly isOperator: boolean;
}

/** The calling API key or member, identified by a credential or by a session that was begun with one. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: KeyId;
      /** The key's own limit; null if it has none. */
      readonly requestsPerMinute: number | null;
    }
  | {
      readonly kind: "member";
      readonly memberId: MemberId;
      /** Undefined if the call came with a session. */
      readonly tokenId: TokenId | undefined;
      readonly role: MemberRole;
    };

/**
 * Throws `forbidden` unless the caller has the powers of an owner. An API key with the admin scope has them,
 * because only an owner or another such key can create it. `act` completes the sentence "only owners may …".
 */
export function requireOwner({ actor, scopes }: Caller, act: string): void {
  const isOwner = actor.kind === "member" ? actor.role === "owner" : scopes.has("admin");
  if (!isOwner)
    throw forbidden(`only owners may ${act}; ask an owner of the organisation`, { reason: "OWNER_REQUIRED" });
}

/** Throws `forbidden` unless the caller manages the organisation that runs the service. */
export function requireOperator({ isOperator, scopes }: Caller, act: string): void {
  if (!isOperator || !scopes.has("admin"))
    throw forbidden(`only those who run this service may ${act}; ask them`, { reason: "OPERATOR_REQUIRED" });
}
