import { expect } from "vitest";
import { newWebhookId, type WorkspaceId } from "../../../server/domain/ids.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { ClaimedDelivery } from "../../../server/domain/ports/webhooks.ts";
import { type Webhook, webhookEvents } from "../../../server/domain/webhooks/webhook.ts";
import { storeClock } from "./metadata.ts";
import { createTenant, makeEvent, morning, type Tenant } from "./records.ts";

export const secrets = { secret: "whsec_AAAA", previousSecret: null, previousUntil: null };

export function makeWebhook(workspaceId: WorkspaceId, fields: Partial<Webhook> = {}): Webhook {
  return {
    id: newWebhookId(),
    workspaceId,
    url: "https://example.org/hook",
    events: webhookEvents,
    description: "",
    createdAt: morning,
    updatedAt: null,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    secrets,
    ...fields,
  };
}

/** A tenant with a webhook. */
export async function hooked(store: Metadata, fields: Partial<Webhook> = {}): Promise<Tenant & { webhook: Webhook }> {
  const tenant = await createTenant(store);
  const webhook = makeWebhook(tenant.workspaceId, fields);
  const made = makeEvent({ organisationId: tenant.organisationId, action: "webhook.create" });
  expect(await store.webhooks.create(webhook, 20, made)).toBe(true);
  return { ...tenant, webhook };
}

/** Deliveries of a webhook. */
export const deliveriesOf = (store: Metadata, webhook: Pick<Webhook, "workspaceId" | "id">) =>
  store.webhooks.deliveries({
    workspaceId: webhook.workspaceId,
    target: webhook.id,
    statuses: [],
    offset: 0,
    limit: 100,
  });
export const told = async (store: Metadata, webhook: Pick<Webhook, "workspaceId" | "id">) =>
  (await deliveriesOf(store, webhook)).data.map(({ type, messageId }) => ({ type, messageId }));

/** Claims what is due in the lanes of the workspace. */
export async function claimDue(store: Metadata, { workspaceId }: Tenant, at: number, limit = 10) {
  storeClock.now = at;
  const claims: ClaimedDelivery[] = [];
  for (const lane of await store.webhooks.dueLanes()) {
    if (lane.workspaceId === workspaceId) claims.push(...(await store.webhooks.claim(lane, limit, 60_000)));
  }
  return claims;
}
