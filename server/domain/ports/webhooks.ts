import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId, WebhookId, WorkspaceId } from "../ids.ts";
import type { Delivery, DeliveryStatus, DeliveryTarget, SealedSecrets, Webhook } from "../webhooks/webhook.ts";
import type { ListResult } from "../list.ts";

/** A change of an endpoint; undefined fields stay as they are. */
export type WebhookChange = Partial<
  Pick<Webhook, "url" | "events" | "description" | "disabledAt" | "disabledReason" | "failingSince">
> & { readonly updatedAt: number };

export interface DeliveryQuery {
  readonly workspaceId: WorkspaceId;
  readonly target: DeliveryTarget;
  /** Empty for all. */
  readonly statuses: readonly DeliveryStatus[];
  readonly offset: number;
  readonly limit: number;
}

/** Identifies one delivery. */
export interface DeliveryRef {
  readonly workspaceId: WorkspaceId;
  readonly target: DeliveryTarget;
  readonly messageId: string;
}

/**
 * A queue whose deliveries are sent one after the other, up to a limit: the deliveries to an endpoint, or to one
 * origin of callbacks.
 */
export interface Lane {
  readonly name: string;
  readonly workspaceId: WorkspaceId;
  readonly organisationId: OrganisationId;
}

/** A delivery that only this process sends, until its claim expires. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  /** Identifies the claim: 120 random bits. */
  readonly token: string;
  /** Undefined if the endpoint has been deleted or disabled. */
  readonly destination: Destination | undefined;
}

export interface Destination {
  readonly url: string;
  readonly secrets: SealedSecrets;
  /** When the endpoint began to fail; null if it does not, and for callbacks. */
  readonly failingSince: number | null;
}

/** The outcome of an attempt. */
export interface Try {
  readonly status: DeliveryStatus;
  /** When it is sent next, by the store's clock; null for never. */
  readonly dueAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** "accepted" ends a series of failures; "refused" begins one; "not sent" does not concern the endpoint. */
  readonly endpoint: "accepted" | "refused" | "not sent" | { readonly disabledReason: string };
}

/**
 * Endpoints, and the outbox of their messages. The transaction that ends a job, in whatever way, also adds its
 * messages; messages about a dataset are added by the transaction that removes it.
 */
export interface WebhookStore {
  /** Returns false and does nothing if the workspace has `atMost` endpoints already. */
  create(webhook: Webhook, atMost: number, event: AuditEvent): Promise<boolean>;
  /** Oldest first. */
  list(workspaceId: WorkspaceId): Promise<readonly Webhook[]>;
  get(workspaceId: WorkspaceId, id: WebhookId): Promise<Webhook | undefined>;
  update(
    workspaceId: WorkspaceId,
    id: WebhookId,
    change: WebhookChange,
    event: AuditEvent,
  ): Promise<Webhook | undefined>;
  /** Its pending deliveries fail. False if there is no such endpoint. */
  delete(workspaceId: WorkspaceId, id: WebhookId, event: AuditEvent): Promise<boolean>;
  /** The secrets that sign the callbacks of the workspace; stores the given ones if there were none. */
  callbackSecrets(workspaceId: WorkspaceId, fresh: SealedSecrets): Promise<SealedSecrets>;
  /** Replaces the secrets that were read. False if others have been stored meanwhile, or the target is gone. */
  replaceSecrets(
    target: Pick<DeliveryRef, "workspaceId" | "target">,
    replacement: { readonly read: SealedSecrets; readonly secrets: SealedSecrets },
    event: AuditEvent,
  ): Promise<boolean>;

  /** Adds a message that is to be sent to one endpoint at once. */
  enter(delivery: Delivery): Promise<void>;
  /**
   * Adds `dataset.expiring` for up to `limit` datasets that expire after `now` and until then, once for each
   * endpoint; returns their number.
   */
  enterExpiring(times: { readonly now: number; readonly until: number }, limit: number): Promise<number>;
  /** Newest first. */
  deliveries(query: DeliveryQuery): Promise<ListResult<Delivery>>;
  delivery(ref: DeliveryRef): Promise<Delivery | undefined>;
  /** Schedules the delivery to be sent at once, as if it had never been tried. */
  redeliver(ref: DeliveryRef, now: number): Promise<Delivery | undefined>;

  /**
   * Lanes with due deliveries: for each organisation, those that have waited longest come first; organisations take
   * turns.
   */
  dueLanes(): Promise<readonly Lane[]>;
  /** Claims up to `limit` deliveries of a lane that are due. */
  claim(lane: Lane, limit: number, leaseMs: number): Promise<readonly ClaimedDelivery[]>;
  /** Records the outcome of a claimed delivery. Returns false and records nothing if the claim is over. */
  settle(claimed: ClaimedDelivery, outcome: Try, now: number): Promise<boolean>;
  /** Gives back a claimed delivery, to be sent at once by another process. */
  release(claimed: ClaimedDelivery, now: number): Promise<void>;
  /** Removes up to `limit` deliveries that ended before then; returns their number. */
  prune(finishedBefore: number, limit: number): Promise<number>;
}
