import type { WebhookId, WorkspaceId } from "../ids.ts";

/** Events that endpoints can subscribe to. */
export const webhookEvents = ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Type of a message: an event, or a test message of `drs webhooks test`. */
export type MessageType = WebhookEvent | "webhook.test";

/** An endpoint that is notified of events in a workspace. Times are milliseconds since the epoch, UTC. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** Null if it is enabled. */
  readonly disabledAt: number | null;
  /** The reason as a sentence for its owner; null if it is enabled. */
  readonly disabledReason: string | null;
  /**
   * Time of the first failure since the last success; null if the last delivery was accepted, or there was none.
   */
  readonly failingSince: number | null;
  readonly secrets: SealedSecrets;
}

/** Signing secrets as stored: sealed if the operator has configured a key for that. */
export interface SealedSecrets {
  readonly secret: string;
  /** Also signs until `previousUntil`; null for none. */
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
}

/** The target of deliveries: an endpoint, or the URLs that uploads have given. */
export type DeliveryTarget = WebhookId | typeof callbacks;

/** Stands for the callbacks of a workspace in place of an endpoint's id. */
export const callbacks = "callbacks";

const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** A message for one target. Times are milliseconds since the epoch, UTC. */
export interface Delivery {
  readonly target: DeliveryTarget;
  /** Identifies the message: the `webhook-id` of all its tries. */
  readonly messageId: string;
  readonly workspaceId: WorkspaceId;
  readonly type: MessageType;
  /** The body, byte for byte. */
  readonly payload: string;
  readonly status: DeliveryStatus;
  /** Number of tries since it was added or redelivered. */
  readonly tries: number;
  readonly createdAt: number;
  /** When it is sent next, or, while it is being sent, when another process may send it; null for never. */
  readonly dueAt: number | null;
  readonly lastTryAt: number | null;
  /** The receiver's last HTTP status; null if it did not answer. */
  readonly lastStatus: number | null;
  /** Why the last try failed, as a sentence; null if it did not. */
  readonly lastError: string | null;
  readonly finishedAt: number | null;
}
