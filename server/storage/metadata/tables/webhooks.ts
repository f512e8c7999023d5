import type { WebhookId, WorkspaceId } from "../../../domain/ids.ts";
import type { DeliveryStatus, DeliveryTarget, MessageType } from "../../../domain/webhooks/webhook.ts";

interface SecretColumns {
  secret: string;
  previousSecret: string | null;
  previousUntil: number | null;
}

export interface WebhookTable extends SecretColumns {
  id: WebhookId;
  workspaceId: WorkspaceId;
  url: string;
  /** Event names separated by spaces, with a space before the first and after the last. */
  events: string;
  description: string;
  createdAt: number;
  updatedAt: number | null;
  disabledAt: number | null;
  disabledReason: string | null;
  failingSince: number | null;
}

/** The secrets that sign the callbacks of a workspace. */
export interface CallbackSecretTable extends SecretColumns {
  workspaceId: WorkspaceId;
}

/** The outbox, with a row for each message and target. A message is still to be sent while `dueAt` is not null. */
export interface WebhookDeliveryTable {
  target: DeliveryTarget;
  messageId: string;
  workspaceId: WorkspaceId;
  /** The workspace, a slash, and the endpoint or the origin of the address. */
  lane: string;
  /** Address of a callback; null to use the address of the endpoint. */
  url: string | null;
  type: MessageType;
  payload: string;
  status: DeliveryStatus;
  tries: number;
  createdAt: number;
  dueAt: number | null;
  /** Identifies the claim of the process that is sending the message; null if there is none. */
  claimToken: string | null;
  lastTryAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  finishedAt: number | null;
}
