import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/read.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import type { ListResult } from "../list.ts";
import { findWebhook } from "./endpoints.ts";
import { callbacks, type Delivery, type DeliveryStatus, type DeliveryTarget } from "./webhook.ts";
import { newUlid } from "../ids.ts";

interface ListDeliveriesInput {
  readonly id: string;
  /** Empty for all. */
  readonly statuses: readonly DeliveryStatus[];
  readonly offset: number;
  readonly limit: number | undefined;
}

/**
 * Lists the past and pending deliveries to a webhook of the caller's workspace, or of its callbacks; newest first.
 */
export async function listDeliveries(
  domain: Domain,
  { caller, input }: { caller: Caller; input: ListDeliveriesInput },
): Promise<ListResult<Delivery>> {
  const target = await findTarget(domain, caller, input.id);
  const { statuses, offset, limit = defaultLimit } = input;
  const { workspaceId } = caller;
  return domain.metadata.webhooks.deliveries({ workspaceId, target, statuses, offset, limit });
}

interface NamedDelivery {
  readonly id: string;
  readonly messageId: string;
}

export async function getDelivery(
  domain: Domain,
  { caller, input }: { caller: Caller; input: NamedDelivery },
): Promise<Delivery> {
  const target = await findTarget(domain, caller, input.id);
  const { workspaceId } = caller;
  const { messageId } = input;
  const delivery = await domain.metadata.webhooks.delivery({ workspaceId, target, messageId });
  if (delivery === undefined) throw noSuchDelivery(input);
  return delivery;
}

/**
 * Sends a message again, at once and with all its tries, whatever its outcome was. Throws `conflict` for a disabled
 * webhook.
 */
export async function redeliver(
  domain: Domain,
  { caller, input }: { caller: Caller; input: NamedDelivery },
): Promise<Delivery> {
  const target = await findTarget(domain, caller, input.id);
  if (target !== callbacks) await requireEnabled(domain, caller, target);
  const { workspaceId } = caller;
  const { messageId } = input;
  const delivery = await domain.metadata.webhooks.redeliver({ workspaceId, target, messageId }, domain.clock());
  if (delivery === undefined) throw noSuchDelivery(input);
  return delivery;
}

/** Sends a test message to a webhook. Throws `conflict` for a disabled one. */
export async function testWebhook(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<Delivery> {
  const { id } = await requireEnabled(domain, caller, input.id);
  const { workspaceId } = caller;
  const now = domain.clock();
  const timestamp = new Date(now).toISOString();
  const delivery: Delivery = {
    target: id,
    messageId: `test-${newUlid()}`,
    workspaceId,
    type: "webhook.test",
    payload: JSON.stringify({ type: "webhook.test", timestamp, data: { workspaceId, webhookId: id } }),
    status: "pending",
    tries: 0,
    createdAt: now,
    dueAt: now,
    lastTryAt: null,
    lastStatus: null,
    lastError: null,
    finishedAt: null,
  };
  await domain.metadata.webhooks.enter(delivery);
  return delivery;
}

async function findTarget(domain: Domain, caller: Caller, id: string): Promise<DeliveryTarget> {
  return id === callbacks ? callbacks : (await findWebhook(domain, caller, id)).id;
}

async function requireEnabled(domain: Domain, caller: Caller, id: string) {
  const webhook = await findWebhook(domain, caller, id);
  if (webhook.disabledAt === null) return webhook;
  throw conflict(`webhook ${webhook.id} is disabled: ${webhook.disabledReason}; enable it first`);
}

const noSuchDelivery = ({ id, messageId }: NamedDelivery): Error =>
  notFound(`no message ${JSON.stringify(messageId)} was sent to ${JSON.stringify(id)} in the last days`);
