import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery, Drs } from "@drs/client";

const everyMs = 250;

/** Maximum wait, milliseconds: a little longer than a receiver may take to answer. */
const maxWaitMs = 40_000;

/** Waits until the message has been tried once more; returns it unchanged if that takes too long. */
export async function watchDelivery(
  drs: Drs,
  id: string,
  { messageId }: Delivery,
  signal: AbortSignal,
): Promise<Delivery> {
  const startedAt = performance.now();
  for (;;) {
    const delivery = await drs.webhooks.delivery(id, messageId, { signal });
    const isTried = delivery.tries > 0 || delivery.status !== "pending" || delivery.lastError !== null;
    if (isTried || performance.now() - startedAt > maxWaitMs) return delivery;
    await sleep(everyMs, undefined, { signal });
  }
}
