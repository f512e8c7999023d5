import { forbidden } from "./errors.ts";
import type { KeyId, MemberId, OrganisationId, TokenId, WorkspaceId } from "./ids.ts";
import type { MemberRole } from "./members/role.ts";

export const keyScopes = ["read", "write", "search", "admin"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The authenticated caller. Every domain verb takes it and reaches nothing outside its workspace. */
export interface Caller {
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<KeyScope>;
  /** The organisation is the one that runs the service. */
  readonly isOperator: boolean;
}

/** The credential of a call: an API key, or a member's personal token. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: KeyId;
      /** The key's own limit; null: none. */
      readonly requestsPerMinute: number | null;
    }
  | { readonly kind: "member"; readonly memberId: MemberId; readonly tokenId: TokenId; readonly role: MemberRole };

/** Throws `forbidden` unless the caller's key or role has the scope. */
export function requireScope({ actor, scopes }: Caller, scope: KeyScope): void {
  if (scopes.has(scope)) return;
  throw forbidden(
    actor.kind === "key"
      ? `this API key lacks the scope "${scope}"; use a key that has it, or create one with drs keys create`
      : `the role "${actor.role}" lacks the scope "${scope}"; ask an admin of the organisation for another role`,
  );
}

/**
 * Throws `forbidden` unless the caller has an owner's powers: an owner, or an API key with the admin scope, which only
 * such a caller can create. `act` completes the sentence "only owners may …".
 */
export function requireOwner(caller: Caller, act: string): void {
  requireScope(caller, "admin");
  if (caller.actor.kind === "member" && caller.actor.role !== "owner") {
    throw forbidden(`only owners may ${act}; ask an owner of the organisation`);
  }
}

/** Throws `forbidden` unless the caller manages the organisation that runs the service. */
export function requireOperator(caller: Caller, act: string): void {
  requireScope(caller, "admin");
  if (!caller.isOperator) throw forbidden(`only those who run this service may ${act}; ask them`);
}
