import type { KeyScope } from "../caller.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "../ids.ts";

/** An owner of workspaces, members and a plan. */
export interface Organisation {
  readonly id: OrganisationId;
  readonly name: string;
  /** Name of the plan that limits it. */
  readonly plan: string;
  /** True for the one organisation that runs the service: the one of the first start. */
  readonly isOperator: boolean;
  readonly createdAt: number;
}

/** A closed space of datasets, jobs and keys. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  readonly createdAt: number;
}

/** An API key as stored: only the SHA-256 (hexadecimal) of its secret. */
export interface ApiKey {
  readonly id: KeyId;
  readonly organisationId: OrganisationId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly secretSha256: string;
  readonly scopes: readonly KeyScope[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
  /** When it stops working by itself; null for never. */
  readonly expiresAt: number | null;
  /** Its own limit, in addition to that of its workspace; null for none. */
  readonly requestsPerMinute: number | null;
  /** JSON of the filter that it is bound to; null if it sees its whole workspace. */
  readonly filter: string | null;
  /** The key that replaced it; null for none. */
  readonly replacedBy: KeyId | null;
}

/** Whether the key is valid at that time. */
export function isUsable({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** A secret that signs share links until it is superseded, and then verifies their signatures for another week. */
export interface SigningKey {
  /** The `kid` of the tokens it signs. */
  readonly id: string;
  /** 32 random bytes, base64url. */
  readonly secret: string;
  readonly createdAt: number;
  /** When another key took its place; null while it signs. */
  readonly supersededAt: number | null;
}
