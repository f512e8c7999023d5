import { forbidden } from "./errors.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "./ids.ts";

export const keyScopes = ["read", "write", "search", "admin"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Who calls, as the API key says. Every domain verb takes it and reaches nothing outside its workspace. */
export interface Caller {
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
  readonly keyId: KeyId;
  readonly scopes: ReadonlySet<KeyScope>;
}

/** Throws `forbidden` unless the caller's key has the scope. */
export function requireScope(caller: Caller, scope: KeyScope): void {
  if (!caller.scopes.has(scope)) {
    throw forbidden(
      `this API key lacks the scope "${scope}"; use a key that has it, or create one with drs keys create`,
    );
  }
}
