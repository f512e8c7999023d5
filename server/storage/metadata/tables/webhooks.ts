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
  /** Separated by spaces, with one before the first and behind the last. */
  events: string;
  description: string;
  createdAt: number;
  updatedAt: number | null;
  disabledAt: number | null;
  disabledReason: string | null;
  failingSince: number | null;
}

/** What signs the callbacks of a workspace. */
export interface CallbackSecretTable extends SecretColumns {
  workspaceId: WorkspaceId;
}

/** The outbox; a row for each message and target. It is to be sent as long as `dueAt` is not null. */
export interface WebhookDeliveryTable {
  target: DeliveryTarget;
  messageId: string;
  workspaceId: WorkspaceId;
  /** The workspace, a slash, and the endpoint or the origin of the address. */
  lane: string;
  /** Of a callback; null: the endpoint's. */
  url: string | null;
  type: MessageType;
  payload: string;
  status: DeliveryStatus;
  tries: number;
  createdAt: number;
  dueAt: number | null;
  /** Names the claim of the process that sends it; null: none. */
  claimToken: string | null;
  lastTryAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  finishedAt: number | null;
}
