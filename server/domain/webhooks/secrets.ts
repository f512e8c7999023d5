import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict } from "../errors.ts";
import type { WorkspaceId } from "../ids.ts";
import { acceptUrl, findWebhook } from "./endpoints.ts";
import { callbacks, type DeliveryTarget, type SealedSecrets } from "./webhook.ts";

const hourMs = 3_600_000;
const defaultOverlapHours = 24;

type Vault = Pick<Domain, "metadata" | "sealing">;

/** A secret, and until when the previous one signs as well. */
export interface WebhookSecret {
  readonly secret: string;
  /** Null if it signs alone. */
  readonly previousUntil: number | null;
}

/** Reads the secret of a webhook, or of the workspace's callbacks. The audit log records the reader. */
export async function readSecret(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<WebhookSecret> {
  const { target, secrets } = await findSecrets(domain, caller, input.id);
  const { workspaceId } = caller;
  const now = domain.clock();
  const secret = domain.sealing.open(secrets.secret);
  const event = actOf(
    caller,
    { action: "webhook.read_secret", target: targetName(target, workspaceId), workspaceId },
    now,
  );
  const isKept = await domain.metadata.webhooks.replaceSecrets(
    { workspaceId, target },
    { read: secrets, secrets },
    event,
  );
  if (!isKept) throw changedMeanwhile(input.id);
  return { secret, previousUntil: stillUntil(secrets, now) };
}

/** Creates a new secret; the previous one signs as well for `overlapHours` (default 24; 0 to end it at once). */
export async function rotateSecret(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string; overlapHours: number | undefined } },
): Promise<WebhookSecret> {
  const { target, secrets: read } = await findSecrets(domain, caller, input.id);
  const { workspaceId } = caller;
  const now = domain.clock();
  const { secret, sealed } = domain.sealing.create();
  const previousUntil = now + (input.overlapHours ?? defaultOverlapHours) * hourMs;
  const secrets = { secret: sealed, previousSecret: read.secret, previousUntil };
  const details = `the one before signs until ${new Date(previousUntil).toISOString()}`;
  const act = { action: "webhook.rotate", target: targetName(target, workspaceId), workspaceId, details } as const;
  const replacement = { read, secrets };
  const isReplaced = await domain.metadata.webhooks.replaceSecrets(
    { workspaceId, target },
    replacement,
    actOf(caller, act, now),
  );
  if (!isReplaced) throw changedMeanwhile(input.id);
  return { secret, previousUntil: stillUntil(secrets, now) };
}

/** Ensures that there is a secret for the workspace's callbacks. */
async function callbackSecrets({ metadata, sealing }: Vault, workspaceId: WorkspaceId): Promise<SealedSecrets> {
  const { sealed } = sealing.create();
  return metadata.webhooks.callbackSecrets(workspaceId, { secret: sealed, previousSecret: null, previousUntil: null });
}

async function findSecrets(
  domain: Vault,
  caller: Caller,
  id: string,
): Promise<{ readonly target: DeliveryTarget; readonly secrets: SealedSecrets }> {
  if (id === callbacks) return { target: callbacks, secrets: await callbackSecrets(domain, caller.workspaceId) };
  const webhook = await findWebhook(domain, caller, id);
  return { target: webhook.id, secrets: webhook.secrets };
}

const targetName = (target: DeliveryTarget, workspaceId: WorkspaceId): string =>
  target === callbacks ? workspaceId : target;

const stillUntil = ({ previousUntil }: SealedSecrets, now: number): number | null =>
  previousUntil !== null && previousUntil > now ? previousUntil : null;

const changedMeanwhile = (id: string): Error =>
  conflict(`the secret of ${JSON.stringify(id)} was changed at the same moment; try again`);

/**
 * Checks the URL that is notified when a job ends, and returns its stored form; null if there is none. Throws
 * `invalid` for a URL that nothing may be sent to.
 */
export async function acceptCallback(
  domain: Pick<Domain, "metadata" | "posts" | "sealing">,
  workspaceId: WorkspaceId,
  address: string,
): Promise<string | null> {
  if (address === "") return null;
  const url = acceptUrl(domain.posts, "callbackUrl", address);
  await callbackSecrets(domain, workspaceId);
  return url;
}
