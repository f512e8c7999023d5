import type { AuditAction } from "../../../domain/audit/event.ts";
import type {
  DeviceCodeId,
  EventId,
  InvitationId,
  KeyId,
  MemberId,
  OrganisationId,
  SessionId,
  SignInCodeId,
  TokenId,
  WorkspaceId,
} from "../../../domain/ids.ts";
import type { MemberRole } from "../../../domain/members/role.ts";

export interface OrganisationTable {
  id: OrganisationId;
  name: string;
  createdAt: number;
  /** Name of a row of `plans`. */
  plan: string;
  /** 1 for the organisation that runs the service, 0 for all others. */
  isOperator: number;
}

/** Null: no limit. */
export interface PlanTable {
  name: string;
  maxUploadBytes: number | null;
  maxStorageBytes: number | null;
  maxRetentionDays: number | null;
  requestsPerMinute: number | null;
  concurrentJobs: number | null;
  maxPages: number | null;
}

export interface MemberTable {
  id: MemberId;
  organisationId: OrganisationId;
  name: string;
  role: MemberRole;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface PersonalTokenTable {
  id: TokenId;
  memberId: MemberId;
  /** Null: it was made for no device. */
  name: string | null;
  secretSha256: string;
  createdAt: number;
  /** The session that has let the device in; null: none has. */
  sessionId: SessionId | null;
}

/** Gone once it is used or revoked. */
export interface InvitationTable {
  id: InvitationId;
  organisationId: OrganisationId;
  name: string;
  email: string | null;
  role: MemberRole;
  secretSha256: string;
  createdAt: number;
  expiresAt: number;
}

/** Which member a person of a provider is, or was. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  organisationId: OrganisationId;
  memberId: MemberId;
  createdAt: number;
  /** The session that has linked it; null: it is of a sign-in. */
  sessionId: SessionId | null;
}

/** One of `memberId` and `keyId` is set. */
export interface SessionTable {
  id: SessionId;
  organisationId: OrganisationId;
  memberId: MemberId | null;
  keyId: KeyId | null;
  secretSha256: string;
  /** Null: an earlier version has begun it. */
  pageSecretSha256: string | null;
  agent: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
}

/** Gone once it is used. */
export interface DeviceCodeTable {
  id: DeviceCodeId;
  /** Null: an earlier version has not noted it. */
  network: string | null;
  userCode: string;
  secretSha256: string;
  name: string;
  createdAt: number;
  expiresAt: number;
  polledAt: number | null;
  answer: "approved" | "denied" | null;
  memberId: MemberId | null;
  organisationId: OrganisationId | null;
  /** The session that has approved; null: none has. */
  sessionId: SessionId | null;
}

/** One of `memberId` and `keyId` is set. Gone once it is used. */
export interface SignInCodeTable {
  id: SignInCodeId;
  organisationId: OrganisationId;
  memberId: MemberId | null;
  keyId: KeyId | null;
  secretSha256: string;
  expiresAt: number;
}

export interface AuditEventTable {
  id: EventId;
  organisationId: OrganisationId;
  at: number;
  actor: string;
  action: AuditAction;
  target: string;
  workspaceId: WorkspaceId | null;
  details: string;
}

export interface WorkspaceTable {
  id: WorkspaceId;
  organisationId: OrganisationId;
  name: string;
  createdAt: number;
  /** When one of its jobs was last claimed; null: never. */
  servedAt: number | null;
  /** When one of its datasets was last claimed to change its model pack; null: never. */
  reindexedAt: number | null;
}

export interface ApiKeyTable {
  id: KeyId;
  organisationId: OrganisationId;
  workspaceId: WorkspaceId;
  name: string;
  secretSha256: string;
  /** Comma-separated. Those of a key that is bound to a filter are written in another way: see `tenants/keys.ts`. */
  scopes: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  expiresAt: number | null;
  requestsPerMinute: number | null;
  /** JSON. */
  filter: string | null;
  replacedBy: KeyId | null;
}

export interface SigningKeyTable {
  id: string;
  secret: string;
  createdAt: number;
  supersededAt: number | null;
}
