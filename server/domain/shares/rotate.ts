import { actOf } from "../audit/event.ts";
import { type Caller, requireOperator } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { maxShareSeconds } from "./signing-keys.ts";

export interface LinkRotation {
  /** Milliseconds since the epoch, UTC. */
  readonly rotatedAt: number;
  /** When the last link of the previous key expires. */
  readonly olderEndBy: number;
}

/** Lets a new key sign links; with `revoke`, all existing links end at once. */
export async function rotateLinks(
  { shareLinks }: Domain,
  { caller, input: { revoke } }: { caller: Caller; input: { readonly revoke: boolean } },
): Promise<LinkRotation> {
  requireOperator(caller, "change the key that signs links");
  const action = revoke ? "link.revoke" : "link.rotate";
  const { createdAt } = await shareLinks.rotate({
    revoke,
    event: (key) => actOf(caller, { action, target: key.id }, key.createdAt),
  });
  return { rotatedAt: createdAt, olderEndBy: revoke ? createdAt : createdAt + maxShareSeconds * 1_000 };
}
