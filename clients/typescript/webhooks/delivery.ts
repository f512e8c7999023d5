import { DeliveryStatus as WireStatus } from "../gen/drs/v1/enums_pb.ts";
import type { Delivery as WireDelivery } from "../gen/drs/v1/webhooks_pb.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

/** `pending`: to be sent or tried again. `failed`: not tried again. */
export type DeliveryStatus = "pending" | "delivered" | "failed";

/** A message to a webhook, and its delivery. Times are milliseconds since the epoch, UTC. */
export interface Delivery {
  /** Its `webhook-id`, which is the same in all its tries. */
  readonly messageId: string;
  /** An event, or `webhook.test`. */
  readonly type: string;
  /** The body, byte for byte. */
  readonly payload: string;
  readonly status: DeliveryStatus;
  /** Number of tries since it was created or redelivered. */
  readonly tries: number;
  readonly createdAt: number;
  /** Null if it is not tried again. */
  readonly nextTryAt: number | null;
  /** Null if it has not been tried. */
  readonly lastTryAt: number | null;
  /** HTTP status of the last response; null if there was none. */
  readonly lastStatus: number | null;
  /** Why the last try failed; null if it did not. */
  readonly lastError: string | null;
}

export interface DeliveryFilter {
  /** Only messages with these statuses; default: all. */
  readonly status?: readonly DeliveryStatus[] | undefined;
}

export const deliveryStatuses: WireNames<DeliveryStatus, WireStatus> = [
  ["pending", WireStatus.PENDING],
  ["delivered", WireStatus.DELIVERED],
  ["failed", WireStatus.FAILED],
];

export function deliveryOf(wire: WireDelivery): Delivery {
  const { messageId, type, payload, tries, createdAt } = wire;
  return {
    messageId,
    type,
    payload,
    status: nameOf(deliveryStatuses, wire.status),
    tries,
    createdAt,
    nextTryAt: wire.nextTryAt ?? null,
    lastTryAt: wire.lastTryAt ?? null,
    lastStatus: wire.lastStatus ?? null,
    lastError: wire.lastError ?? null,
  };
}
