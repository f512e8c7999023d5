import { createHash } from "node:crypto";
import { invalid } from "../errors.ts";

/** Enough for a UUID, an id of the caller's own or a digest, and small enough for any header. */
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** Checks an idempotency key from a caller. Throws `invalid`. */
export function parseIdempotencyKey(text: string): string {
  if (visibleAscii.test(text)) return text;
  throw invalid("the Idempotency-Key must be 1 to 255 visible ASCII characters without spaces; a UUID is a good one");
}

export function hashIdempotencyKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
