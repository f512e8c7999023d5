import { type EventId, newEventId, type OrganisationId, type WorkspaceId } from "../ids.ts";
import type { Holder } from "../sessions/session.ts";

export type AuditAction =
  | "dataset.delete"
  | "dataset.replace"
  | "device.approve"
  | "device.deny"
  | "identity.link"
  | "identity.unlink"
  | "invitation.revoke"
  | "key.create"
  | "key.revoke"
  | "key.rotate"
  | "link.revoke"
  | "link.rotate"
  | "member.invite"
  | "member.join"
  | "member.remove"
  | "member.sign_out"
  | "member.update"
  | "model.use"
  | "organisation.create"
  | "organisation.update"
  | "plan.delete"
  | "plan.set"
  | "session.begin"
  | "session.end"
  | "webhook.create"
  | "webhook.delete"
  | "webhook.disable"
  | "webhook.read_secret"
  | "webhook.rotate"
  | "webhook.update"
  | "workspace.create";

/** An act to log: `target` is an id, or the name of a plan; `details` is a few words, never a secret. */
export interface Act {
  readonly action: AuditAction;
  readonly target: string;
  /** Undefined if the act concerns the organisation as a whole. */
  readonly workspaceId?: WorkspaceId;
  readonly details?: string;
}

/** An entry of an organisation's audit log. Stores write it in the transaction of the act itself. */
export interface AuditEvent {
  readonly id: EventId;
  readonly organisationId: OrganisationId;
  readonly at: number;
  /** `key <id>`, `member <id>` or `service`. */
  readonly actor: string;
  readonly action: AuditAction;
  readonly target: string;
  readonly workspaceId: WorkspaceId | null;
  readonly details: string;
}

/** Creates the entry for an act of the caller in the log of the caller's organisation. */
export function actOf(
  { organisationId, actor }: { readonly organisationId: OrganisationId; readonly actor: Holder },
  act: Act,
  at: number,
): AuditEvent {
  return newEvent(organisationId, actor.kind === "key" ? `key ${actor.keyId}` : `member ${actor.memberId}`, act, at);
}

/** Creates the entry for an act of the service itself, or of its operator as another organisation sees it. */
export function actOfService(organisationId: OrganisationId, act: Act, at: number): AuditEvent {
  return newEvent(organisationId, "service", act, at);
}

function newEvent(
  organisationId: OrganisationId,
  actor: string,
  { action, target, workspaceId, details = "" }: Act,
  at: number,
): AuditEvent {
  return { id: newEventId(), organisationId, at, actor, action, target, workspaceId: workspaceId ?? null, details };
}
