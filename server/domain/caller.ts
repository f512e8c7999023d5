import { forbidden } from "./errors.ts";
import type { Filter } from "./filters/filter.ts";
import type { KeyId, MemberId, OrganisationId, SessionId, TokenId, WorkspaceId } from "./ids.ts";
import type { MemberRole } from "./members/role.ts";

export const keyScopes = ["read", "write", "search", "admin"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The authenticated caller. Every domain verb takes it and reaches nothing outside its workspace. */
export interface Caller {
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<KeyScope>;
  /** The session that the call came with; undefined: it came with a key or a token. */
  readonly sessionId?: SessionId | undefined;
  /** That session has begun a few minutes ago: who calls has just proven who they are. */
  readonly isFresh?: boolean;
  /** What it is bound to: of its workspace it sees what passes; undefined: everything. See `datasets/view.ts`. */
  readonly filter?: Filter | undefined;
  /** The organisation is the one that runs the service. */
  readonly isOperator: boolean;
}

/** Who calls: an API key or a member, by a credential or by a session that was begun with one. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: KeyId;
      /** The key's own limit; null: none. */
      readonly requestsPerMinute: number | null;
    }
  | {
      readonly kind: "member";
      readonly memberId: MemberId;
      /** Undefined: the call came with a session. */
      readonly tokenId: TokenId | undefined;
      readonly role: MemberRole;
    };

/**
 * Throws `forbidden` unless the caller has an owner's powers: an owner, or an API key with the admin scope, which only
 * such a caller can create. `act` completes the sentence "only owners may …".
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
