import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict, DomainError, invalid, notFound } from "../errors.ts";
import { newWebhookId, parseWebhookId, type WebhookId } from "../ids.ts";
import type { Posts } from "../ports/remote.ts";
import type { WebhookChange } from "../ports/webhooks.ts";
import { type Webhook, webhookEvents, type WebhookEvent } from "./webhook.ts";

export interface CreateWebhookInput {
  readonly url: string;
  /** Empty for all. */
  readonly events: readonly WebhookEvent[];
  readonly description: string;
}

/** Few, because each end of a job reads the webhooks of its workspace. */
export const maxWebhooks = 20;

/**
 * Creates a webhook of the caller's workspace, with its secret. Throws `invalid` for a URL that nothing may be sent
 * to.
 */
export async function createWebhook(
  { metadata, posts, sealing, clock }: Domain,
  { caller, input }: { caller: Caller; input: CreateWebhookInput },
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const { workspaceId } = caller;
  const { secret, sealed } = sealing.create();
  const now = clock();
  const webhook: Webhook = {
    id: newWebhookId(),
    workspaceId,
    url: acceptUrl(posts, "url", input.url),
    events: input.events.length === 0 ? webhookEvents : input.events,
    description: input.description,
    createdAt: now,
    updatedAt: null,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    secrets: { secret: sealed, previousSecret: null, previousUntil: null },
  };
  const details = `${hostOf(webhook)}: ${webhook.events.join(", ")}`;
  const event = actOf(caller, { action: "webhook.create", target: webhook.id, workspaceId, details }, now);
  if (!(await metadata.webhooks.create(webhook, maxWebhooks, event))) {
    throw conflict(`this workspace has ${maxWebhooks} webhooks already; delete one first (drs webhooks remove)`);
  }
  return { webhook, secret };
}

/** Lists the webhooks of the caller's workspace, oldest first. */
export async function listWebhooks({ metadata }: Domain, { caller }: { caller: Caller }): Promise<readonly Webhook[]> {
  return metadata.webhooks.list(caller.workspaceId);
}

/** Finds a webhook. Throws `not_found` if it is unknown, or of another workspace. */
export async function findWebhook(
  { metadata }: Pick<Domain, "metadata">,
  caller: Caller,
  id: string,
): Promise<Webhook> {
  const webhookId = parseWebhookId(id);
  const webhook = webhookId && (await metadata.webhooks.get(caller.workspaceId, webhookId));
  if (webhook === undefined) throw noSuchWebhook(id);
  return webhook;
}

export interface UpdateWebhookInput {
  readonly id: string;
  /** Undefined fields and empty `events` stay as they are. */
  readonly url: string | undefined;
  readonly events: readonly WebhookEvent[];
  readonly description: string | undefined;
  readonly enabled: boolean | undefined;
}

export async function updateWebhook(
  { metadata, posts, clock }: Domain,
  { caller, input }: { caller: Caller; input: UpdateWebhookInput },
): Promise<Webhook> {
  const { id, disabledAt } = await findWebhook({ metadata }, caller, input.id);
  const now = clock();
  const { events, description, enabled } = input;
  const url = input.url === undefined ? undefined : acceptUrl(posts, "url", input.url);
  const isDisabled = enabled === false && disabledAt === null;
  const change: WebhookChange = {
    updatedAt: now,
    ...(url !== undefined && { url }),
    ...(events.length > 0 && { events }),
    ...(description !== undefined && { description }),
    ...(isDisabled && { disabledAt: now, disabledReason: "it was disabled by hand" }),
    // Earlier failures do not count once it is enabled again.
    ...(enabled === true && { disabledAt: null, disabledReason: null, failingSince: null }),
  };
  const { workspaceId } = caller;
  const action = isDisabled ? "webhook.disable" : "webhook.update";
  const details = [
    ...(url === undefined ? [] : [`url at ${hostOf({ url })}`]),
    ...(events.length > 0 ? [`events ${events.join(", ")}`] : []),
    ...(enabled === true ? ["enabled"] : []),
  ].join("; ");
  const event = actOf(caller, { action, target: id, workspaceId, details }, now);
  const updated = await metadata.webhooks.update(workspaceId, id, change, event);
  if (updated === undefined) throw noSuchWebhook(input.id);
  return updated;
}

/** Deletes a webhook; its pending messages are not sent any more. */
export async function deleteWebhook(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<WebhookId> {
  const { id, url } = await findWebhook({ metadata }, caller, input.id);
  const { workspaceId } = caller;
  const act = { action: "webhook.delete", target: id, workspaceId, details: hostOf({ url }) } as const;
  if (!(await metadata.webhooks.delete(workspaceId, id, actOf(caller, act, clock())))) throw noSuchWebhook(input.id);
  return id;
}

/** The stored form of a URL. Throws `invalid`, naming the field. */
export function acceptUrl(posts: Pick<Posts, "parse">, field: string, address: string): string {
  try {
    const url = posts.parse(address);
    url.hash = "";
    return url.href;
  } catch (cause) {
    if (cause instanceof DomainError) throw invalid(`${field}: ${cause.message}`, { cause });
    throw cause;
  }
}

/** The part of a URL that logs may show: paths and queries may be secret. */
const hostOf = ({ url }: Pick<Webhook, "url">): string => new URL(url).host;

const noSuchWebhook = (id: string): Error =>
  notFound(`there is no webhook ${JSON.stringify(id)} in this workspace`, { reason: "WEBHOOK_NOT_FOUND" });
