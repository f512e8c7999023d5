import { createHmac } from "node:crypto";

/** Prefix of secrets in Standard Webhooks; base64 follows. */
const prefix = "whsec_";

/**
 * The signature headers of a message according to Standard Webhooks 1.0 (https://www.standardwebhooks.com):
 * HMAC-SHA256 over id, time and body, once with each of the secrets, in base64. `now` is in milliseconds since the
 * epoch.
 */
export function signedHeaders(
  { messageId, payload }: { readonly messageId: string; readonly payload: string },
  secrets: readonly string[],
  now: number,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const sign = (secret: string): string =>
    createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
      .update(`${messageId}.${timestamp}.${payload}`)
      .digest("base64");
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}

/** Formats random bytes as a secret. */
export const formatWebhookSecret = (bytes: Uint8Array): string => prefix + Buffer.from(bytes).toString("base64");
