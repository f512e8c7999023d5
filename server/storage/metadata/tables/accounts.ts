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
import type { MemberRole } from "../../../domain/members/member.ts";

export interface OrganisationTable {
  id: OrganisationId;
  name: string;
  createdAt: number;
  /** Name of a row of `plans`. */
  plan: string;
  /** 1 for the organisation that runs the service, 0 for all others. */
  isOperator: number;
}

/** Limits of a plan; null for no limit. */
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
  /** Name of the device; null if the token is not for a device. */
  name: string | null;
  secretSha256: string;
  createdAt: number;
  /** The session that approved the device; null if there is none. */
  sessionId: SessionId | null;
}

/** An invitation; its row is deleted when it is used or revoked. */
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

/** Links a person at an identity provider with the member that this person is or was. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  organisationId: OrganisationId;
  memberId: MemberId;
  createdAt: number;
  /** The session that created the link; null if a sign-in did. */
  sessionId: SessionId | null;
}

/** A session. One of `memberId` and `keyId` is set. */
export interface SessionTable {
  id: SessionId;
  organisationId: OrganisationId;
  memberId: MemberId | null;
  keyId: KeyId | null;
  secretSha256: string;
  pageSecretSha256: string;
  agent: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
}

/** A device code; its row is deleted when it is used. */
export interface DeviceCodeTable {
  id: DeviceCodeId;
  network: string;
  userCode: string;
  secretSha256: string;
  name: string;
  createdAt: number;
  expiresAt: number;
  polledAt: number | null;
  answer: "approved" | "denied" | null;
  memberId: MemberId | null;
  organisationId: OrganisationId | null;
  /** The session that approved the code; null if there is none. */
  sessionId: SessionId | null;
}

/** A sign-in code. One of `memberId` and `keyId` is set. Its row is deleted when it is used. */
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
  /** When one of its jobs was last claimed; null if never. */
  servedAt: number | null;
  /** When one of its datasets was last claimed for a change of its model pack; null if never. */
  reindexedAt: number | null;
}

export interface ApiKeyTable {
  id: KeyId;
  organisationId: OrganisationId;
  workspaceId: WorkspaceId;
  name: string;
  secretSha256: string;
  /** Comma-separated. Scopes of a key that is bound to a filter have a prefix, see `tenants/keys.ts`. */
  scopes: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  expiresAt: number | null;
  requestsPerMinute: number | null;
  /** The filter as JSON; null if the key has none. */
  filter: string | null;
  replacedBy: KeyId | null;
}

export interface SigningKeyTable {
  id: string;
  secret: string;
  createdAt: number;
  supersededAt: number | null;
}
