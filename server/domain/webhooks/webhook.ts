import type { WebhookId, WorkspaceId } from "../ids.ts";

/** What endpoints can ask to be told. */
export const webhookEvents = ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** What is sent: an event, or what `drs webhooks test` asks for. */
export type MessageType = WebhookEvent | "webhook.test";

/** An address that is told of events in a workspace. Times are milliseconds since the epoch, UTC. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** Null: it is told. */
  readonly disabledAt: number | null;
  /** Why, as a sentence for its owner; null: it is told. */
  readonly disabledReason: string | null;
  /** The first of the failures that no success has followed; null: the last delivery was accepted, or there was none. */
  readonly failingSince: number | null;
  readonly secrets: SealedSecrets;
}

/** What signs, as it is stored: sealed where the operator has set a key for that. */
export interface SealedSecrets {
  readonly secret: string;
  /** What signs as well until `previousUntil`; null: nothing. */
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
}

/** Where deliveries go: to an endpoint, or to the addresses that uploads have named. */
export type DeliveryTarget = WebhookId | typeof callbacks;

/** Stands for the callbacks of a workspace where an endpoint's id could be. */
export const callbacks = "callbacks";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** A message for one target. Times are milliseconds since the epoch, UTC. */
export interface Delivery {
  readonly target: DeliveryTarget;
  /** Names the message: the `webhook-id` of all its tries. */
  readonly messageId: string;
  readonly workspaceId: WorkspaceId;
  readonly type: MessageType;
  /** The body, byte for byte. */
  readonly payload: string;
  readonly status: DeliveryStatus;
  /** Since it was entered or redelivered. */
  readonly tries: number;
  readonly createdAt: number;
  /** When it is sent next, or, while it is being sent, when another process may; null: not again. */
  readonly dueAt: number | null;
  readonly lastTryAt: number | null;
  /** What the receiver answered last; null: it did not. */
  readonly lastStatus: number | null;
  /** Why the last try failed, as a sentence; null: it did not. */
  readonly lastError: string | null;
  readonly finishedAt: number | null;
}
