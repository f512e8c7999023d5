import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import { WebhookEvent as WireEvent } from "../gen/drs/v1/enums_pb.ts";
import {
  type Webhook as WireWebhook,
  type WebhookSecret as WireSecret,
  WebhookService,
} from "../gen/drs/v1/webhooks_pb.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { nameOf, present, valueOf, type WireNames } from "../wire-names.ts";
import { type Delivery, type DeliveryFilter, deliveryOf, deliveryStatuses } from "./delivery.ts";

export type WebhookEvent = "job.finished" | "job.failed" | "dataset.deleted" | "dataset.expiring";

/** An address that is notified of events in a workspace. Times are milliseconds since the epoch, UTC. */
export interface Webhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string;
  readonly createdAt: number;
  /** Null if never updated. */
  readonly updatedAt: number | null;
  /** Null if it is enabled. */
  readonly disabledAt: number | null;
  /** Null if it is enabled. */
  readonly disabledReason: string | null;
  /** Time of the first failure since the last success; null if nothing fails. */
  readonly failingSince: number | null;
}

export interface NewWebhook extends Webhook {
  /** The secret that signs its messages, in the form that libraries for Standard Webhooks take. */
  readonly secret: string;
}

export interface WebhookRequest {
  readonly url: string;
  /** Events to send; default: all. */
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly description?: string | undefined;
}

/** Changes to a webhook; whatever is left out stays. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface WebhookSecret {
  readonly secret: string;
  /** When the previous secret stops signing as well; null if only this one signs. */
  readonly previousUntil: number | null;
}

/**
 * Webhooks of the workspace. In place of an id, `callbacks` stands for the messages that uploads request with
 * `callbackUrl`.
 */
export interface Webhooks {
  /** Lists them, oldest first. */
  list(options?: RequestOptions): Promise<readonly Webhook[]>;
  get(id: string, options?: RequestOptions): Promise<Webhook>;
  create(webhook: WebhookRequest, options?: CreateOptions): Promise<NewWebhook>;
  update(id: string, change: WebhookChange, options?: RequestOptions): Promise<Webhook>;
  delete(id: string, options?: RequestOptions): Promise<void>;
  secret(id: string, options?: RequestOptions): Promise<WebhookSecret>;
  /** Creates a new secret; the previous one signs as well for `overlapHours`, 0 to 720, default 24. */
  rotateSecret(
    id: string,
    rotation?: { readonly overlapHours?: number | undefined },
    options?: CreateOptions,
  ): Promise<WebhookSecret>;
  /** Sends it a test message; `delivery` returns its status. */
  test(id: string, options?: RequestOptions): Promise<Delivery>;
  /** Lists the messages of the last days, newest first. */
  deliveries(id: string, query?: DeliveryFilter & ListQuery, options?: RequestOptions): AsyncIterable<Delivery>;
  deliveriesPage(id: string, query?: DeliveryFilter & PageQuery, options?: RequestOptions): Promise<Page<Delivery>>;
  delivery(id: string, messageId: string, options?: RequestOptions): Promise<Delivery>;
  /** Sends a message again, with the same id. */
  redeliver(id: string, messageId: string, options?: RequestOptions): Promise<Delivery>;
}

const webhookEvents: WireNames<WebhookEvent, WireEvent> = [
  ["job.finished", WireEvent.JOB_FINISHED],
  ["job.failed", WireEvent.JOB_FAILED],
  ["dataset.deleted", WireEvent.DATASET_DELETED],
  ["dataset.expiring", WireEvent.DATASET_EXPIRING],
];

export function createWebhooks(connection: Connection): Webhooks {
  const client = createClient(WebhookService, connection.transport);
  const webhooks: Webhooks = {
    async list(options) {
      const { data } = await connection.call((call) => client.listWebhooks({}, call), options);
      return data.map(webhookOf);
    },
    async get(id, options) {
      const { webhook } = await connection.call((call) => client.getWebhook({ id }, call), options);
      return webhookOf(present(webhook, "webhook"));
    },
    async create({ url, events = [], description = "" }, options) {
      const request = { url, events: wireEvents(events), description };
      const { webhook } = await createOnce(connection, (call) => client.createWebhook(request, call), options);
      const made = present(webhook, "webhook");
      return { ...webhookOf(made), secret: present(made.secret, "webhook's secret") };
    },
    async update(id, { url, events = [], description, enabled }, options) {
      const request = { id, url, events: wireEvents(events), description, enabled };
      const { webhook } = await connection.call((call) => client.updateWebhook(request, call), options);
      return webhookOf(present(webhook, "webhook"));
    },
    async delete(id, options) {
      await connection.call((call) => client.deleteWebhook({ id }, call), options);
    },
    async secret(id, options) {
      const { secret } = await connection.call((call) => client.getWebhookSecret({ id }, call), options);
      return secretOf(present(secret, "secret"));
    },
    async rotateSecret(id, { overlapHours } = {}, options) {
      const request = { id, overlapHours };
      const { secret } = await createOnce(connection, (call) => client.rotateWebhookSecret(request, call), options);
      return secretOf(present(secret, "secret"));
    },
    async test(id, options) {
      const { delivery } = await connection.call((call) => client.testWebhook({ id }, call), options);
      return deliveryOf(present(delivery, "delivery"));
    },
    deliveries: (id, query = {}, options) =>
      entriesOf(query, (part) => webhooks.deliveriesPage(id, { ...query, ...part }, options)),
    async deliveriesPage(id, { status = [], offset = 0, limit = defaultLimit } = {}, options) {
      const request = { id, status: status.map((name) => valueOf(deliveryStatuses, name)), offset, limit };
      const { total, data } = await connection.call((call) => client.listDeliveries(request, call), options);
      return { total, offset, limit, data: data.map(deliveryOf) };
    },
    async delivery(id, messageId, options) {
      const { delivery } = await connection.call((call) => client.getDelivery({ id, messageId }, call), options);
      return deliveryOf(present(delivery, "delivery"));
    },
    async redeliver(id, messageId, options) {
      const { delivery } = await connection.call((call) => client.redeliverDelivery({ id, messageId }, call), options);
      return deliveryOf(present(delivery, "delivery"));
    },
  };
  return webhooks;
}

const wireEvents = (events: readonly WebhookEvent[]): WireEvent[] => events.map((name) => valueOf(webhookEvents, name));

const secretOf = ({ secret, previousUntil }: WireSecret): WebhookSecret => ({
  secret,
  previousUntil: previousUntil ?? null,
});

function webhookOf(wire: WireWebhook): Webhook {
  const { id, workspaceId, url, description, createdAt } = wire;
  return {
    id,
    workspaceId,
    url,
    events: wire.events.map((event) => nameOf(webhookEvents, event)),
    description,
    createdAt,
    updatedAt: wire.updatedAt ?? null,
    disabledAt: wire.disabledAt ?? null,
    disabledReason: wire.disabledReason ?? null,
    failingSince: wire.failingSince ?? null,
  };
}
