import { DeliveryStatus as WireStatus } from "../gen/drs/v1/enums_pb.ts";
import type { Delivery as WireDelivery } from "../gen/drs/v1/webhooks_pb.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

/** `pending`: it is to be sent, or tried again; `failed`: it is not tried again. */
export type DeliveryStatus = "pending" | "delivered" | "failed";

/** A message to a webhook, and what became of it. Times are milliseconds since the epoch, UTC. */
export interface Delivery {
  /** Its `webhook-id`: the same in all its tries. */
  readonly messageId: string;
  /** An event, or `webhook.test`. */
  readonly type: string;
  /** The body, byte for byte. */
  readonly payload: string;
  readonly status: DeliveryStatus;
  /** Since it was made or redelivered. */
  readonly tries: number;
  readonly createdAt: number;
  /** Null: it is not tried again. */
  readonly nextTryAt: number | null;
  /** Null: it has not been tried. */
  readonly lastTryAt: number | null;
  /** HTTP status of the last answer; null: there was none. */
  readonly lastStatus: number | null;
  /** Why the last try failed; null: it did not. */
  readonly lastError: string | null;
}

export interface DeliveryFilter {
  /** Default: all. */
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
