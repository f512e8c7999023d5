import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type {
  DeliverySchema,
  WebhookSchema,
  WebhookSecretSchema,
  WebhookService,
} from "@drs/client/gen/drs/v1/webhooks_pb";
import type { Domain } from "../../domain/domain.ts";
import { getDelivery, listDeliveries, redeliver, testWebhook } from "../../domain/webhooks/deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  updateWebhook,
} from "../../domain/webhooks/endpoints.ts";
import { readSecret, rotateSecret, type WebhookSecret } from "../../domain/webhooks/secrets.ts";
import type { Delivery, Webhook } from "../../domain/webhooks/webhook.ts";
import { callerOf } from "./caller.ts";
import { deliveryStatuses, webhookEvents, wordsOf } from "./enums.ts";
import { present } from "./messages.ts";

export function webhookService(domain: Domain): ServiceImpl<typeof WebhookService> {
  return {
    async createWebhook({ url, events, description }, context) {
      const input = { url, events: wordsOf(webhookEvents, events), description };
      const { webhook, secret } = await createWebhook(domain, { caller: callerOf(context), input });
      return { webhook: { ...webhookMessage(webhook), secret } };
    },
    async listWebhooks(_request, context) {
      const data = await listWebhooks(domain, { caller: callerOf(context) });
      return { total: data.length, data: data.map(webhookMessage) };
    },
    async getWebhook({ id }, context) {
      return { webhook: webhookMessage(await findWebhook(domain, callerOf(context), id)) };
    },
    async updateWebhook({ id, url, events, description, enabled }, context) {
      const input = { id, url, events: wordsOf(webhookEvents, events), description, enabled };
      return { webhook: webhookMessage(await updateWebhook(domain, { caller: callerOf(context), input })) };
    },
    async deleteWebhook({ id }, context) {
      await deleteWebhook(domain, { caller: callerOf(context), input: { id } });
      return {};
    },
    async getWebhookSecret({ id }, context) {
      return { secret: secretMessage(await readSecret(domain, { caller: callerOf(context), input: { id } })) };
    },
    async rotateWebhookSecret({ id, overlapHours }, context) {
      const input = { id, overlapHours };
      return { secret: secretMessage(await rotateSecret(domain, { caller: callerOf(context), input })) };
    },
    async testWebhook({ id }, context) {
      return { delivery: deliveryMessage(await testWebhook(domain, { caller: callerOf(context), input: { id } })) };
    },
    async listDeliveries({ id, status, offset, limit }, context) {
      const input = { id, statuses: wordsOf(deliveryStatuses, status), offset, limit };
      const { total, data } = await listDeliveries(domain, { caller: callerOf(context), input });
      return { total, data: data.map(deliveryMessage) };
    },
    async getDelivery({ id, messageId }, context) {
      const input = { id, messageId };
      return { delivery: deliveryMessage(await getDelivery(domain, { caller: callerOf(context), input })) };
    },
    async redeliverDelivery({ id, messageId }, context) {
      const input = { id, messageId };
      return { delivery: deliveryMessage(await redeliver(domain, { caller: callerOf(context), input })) };
    },
  };
}

function webhookMessage(webhook: Webhook): MessageInitShape<typeof WebhookSchema> {
  const { id, workspaceId, url, events, description, createdAt } = webhook;
  const { updatedAt, disabledAt, disabledReason, failingSince } = webhook;
  return {
    id,
    workspaceId,
    url,
    events: events.map((event) => webhookEvents.toWire(event)),
    description,
    createdAt,
    ...present({ updatedAt, disabledAt, disabledReason, failingSince }),
  };
}

const secretMessage = ({ secret, previousUntil }: WebhookSecret): MessageInitShape<typeof WebhookSecretSchema> => ({
  secret,
  ...present({ previousUntil }),
});

function deliveryMessage(delivery: Delivery): MessageInitShape<typeof DeliverySchema> {
  const { messageId, type, payload, status, tries, createdAt } = delivery;
  const { dueAt: nextTryAt, lastTryAt, lastStatus, lastError } = delivery;
  return {
    messageId,
    type,
    payload,
    status: deliveryStatuses.toWire(status),
    tries,
    createdAt,
    ...present({ nextTryAt, lastTryAt, lastStatus, lastError }),
  };
}
