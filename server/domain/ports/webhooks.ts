import type { AuditEvent } from "../audit/event.ts";
import type { OrganisationId, WebhookId, WorkspaceId } from "../ids.ts";
import type { Delivery, DeliveryStatus, DeliveryTarget, SealedSecrets, Webhook } from "../webhooks/webhook.ts";
import type { ListResult } from "./list.ts";

/** What of an endpoint changes; what is left out stays. */
export type WebhookChange = Partial<
  Pick<Webhook, "url" | "events" | "description" | "disabledAt" | "disabledReason" | "failingSince">
> & { readonly updatedAt: number };

export interface DeliveryQuery {
  readonly workspaceId: WorkspaceId;
  readonly target: DeliveryTarget;
  /** All when empty. */
  readonly statuses: readonly DeliveryStatus[];
  readonly offset: number;
  readonly limit: number;
}

/** Names one delivery. */
export interface DeliveryRef {
  readonly workspaceId: WorkspaceId;
  readonly target: DeliveryTarget;
  readonly messageId: string;
}

/** Deliveries that are sent one after the other, up to a bound: those of an endpoint, or to one origin of callbacks. */
export interface Lane {
  readonly name: string;
  readonly workspaceId: WorkspaceId;
  readonly organisationId: OrganisationId;
}

/** A delivery that this process alone sends, until its claim runs out. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  /** Names the claim: 120 random bits. */
  readonly token: string;
  /** Undefined: the endpoint has been deleted or disabled. */
  readonly destination: Destination | undefined;
}

export interface Destination {
  readonly url: string;
  readonly secrets: SealedSecrets;
  /** Of the endpoint; null also for callbacks. */
  readonly failingSince: number | null;
}

/** What became of a try. */
export interface Try {
  readonly status: DeliveryStatus;
  /** When it is sent next, by the store's clock; null: not again. */
  readonly dueAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** "accepted" ends what was failing; "refused" begins it; "not sent" says nothing of the endpoint. */
  readonly endpoint: "accepted" | "refused" | "not sent" | { readonly disabledReason: string };
}

/**
 * Endpoints, and the outbox of what they are told. The messages of jobs that end are entered by the very transaction that
 * ends the job, on whatever way, and those of datasets by the one that removes the dataset.
 */
export interface WebhookStore {
  /** False, and nothing is done: the workspace has `atMost` already. */
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
  /** What is still to be sent to it fails. False: there is none. */
  delete(workspaceId: WorkspaceId, id: WebhookId, event: AuditEvent): Promise<boolean>;
  /** What signs the callbacks of the workspace; those given if there was nothing yet. */
  callbackSecrets(workspaceId: WorkspaceId, fresh: SealedSecrets): Promise<SealedSecrets>;
  /** Puts the secrets in place of those that were read. False: others have been put meanwhile, or the target is gone. */
  replaceSecrets(
    target: Pick<DeliveryRef, "workspaceId" | "target">,
    replacement: { readonly read: SealedSecrets; readonly secrets: SealedSecrets },
    event: AuditEvent,
  ): Promise<boolean>;

  /** Enters a message that is to be sent to one endpoint at once. */
  enter(delivery: Delivery): Promise<void>;
  /**
   * Enters `dataset.expiring` for up to `limit` datasets that expire after `now` and until then, once for each endpoint;
   * how many.
   */
  enterExpiring(times: { readonly now: number; readonly until: number }, limit: number): Promise<number>;
  /** Newest first. */
  deliveries(query: DeliveryQuery): Promise<ListResult<Delivery>>;
  delivery(ref: DeliveryRef): Promise<Delivery | undefined>;
  /** Has it sent at once, as if it had never been tried. */
  redeliver(ref: DeliveryRef, now: number): Promise<Delivery | undefined>;

  /** Lanes that have something to be sent, of each organisation those first that have waited longest; they take turns. */
  dueLanes(): Promise<readonly Lane[]>;
  /** Claims up to `limit` deliveries of a lane that are due. */
  claim(lane: Lane, limit: number, leaseMs: number): Promise<readonly ClaimedDelivery[]>;
  /** Enters what became of a claimed delivery. False: the claim is over, and nothing is entered. */
  settle(claimed: ClaimedDelivery, outcome: Try, now: number): Promise<boolean>;
  /** Gives a claimed delivery back, to be sent at once by another process. */
  release(claimed: ClaimedDelivery, now: number): Promise<void>;
  /** Removes up to `limit` deliveries that ended before then; how many. */
  prune(finishedBefore: number, limit: number): Promise<number>;
}
