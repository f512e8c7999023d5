import type { KeyScope } from "../caller.ts";
import type { KeyId, OrganisationId, WorkspaceId } from "../ids.ts";

export interface Organisation {
  readonly id: OrganisationId;
  readonly name: string;
  readonly createdAt: number;
}

/** A closed space of datasets, jobs and keys. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly organisationId: OrganisationId;
  readonly name: string;
  readonly createdAt: number;
}

/** An API key as stored: of its secret only the SHA-256 (hexadecimal) is kept. */
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
}

/** A secret that signs share links. The newest signs, every one that is kept verifies. */
export interface SigningKey {
  /** The `kid` of the tokens it signs. */
  readonly id: string;
  /** 32 random bytes, base64url. */
  readonly secret: string;
  readonly createdAt: number;
}
