import { createHmac, randomBytes } from "node:crypto";
import { unavailable } from "../errors.ts";
import { seal, sealingKey, unseal } from "../sealing.ts";
import type { SealedSecrets } from "./webhook.ts";

/** Encrypts the secrets of webhooks, so that access to the database alone does not reveal them. */
export interface Sealing {
  /** Creates a secret, as receivers know it, and as it is stored. */
  create(): { readonly secret: string; readonly sealed: string };
  /** Throws `unavailable` for a secret that was sealed with a key that is not in the settings. */
  open(sealed: string): string;
}

/** Standard Webhooks requires 24 to 64. */
const secretBytes = 32;

const mark = "sealed:";

/**
 * The first key seals, all keys open (AES-256-GCM, keys derived with HKDF-SHA256). Without any, secrets are stored
 * in plain text, like the keys that sign links.
 */
export function createSealing(keys: readonly string[]): Sealing {
  const derived = keys.map((key) => sealingKey(key, "drs webhook secrets"));
  return {
    create() {
      const secret = formatWebhookSecret(randomBytes(secretBytes));
      const [key] = derived;
      return { secret, sealed: key === undefined ? secret : mark + seal(secret, key) };
    },
    open(sealed) {
      if (!sealed.startsWith(mark)) return sealed;
      for (const key of derived) {
        const secret = unseal(sealed.slice(mark.length), key);
        if (secret !== undefined) return secret;
      }
      throw unavailable(
        "the secret was sealed with another key than --webhook-keys (DRS_WEBHOOK_KEYS) names; ask the operator to name that one too",
      );
    },
  };
}

/** The secrets that sign at a time: the current one, and the previous one while it is valid. */
export function secretsAt(sealing: Sealing, { secret, previousSecret, previousUntil }: SealedSecrets, now: number) {
  const isStill = previousSecret !== null && previousUntil !== null && previousUntil > now;
  return [sealing.open(secret), ...(isStill ? [sealing.open(previousSecret)] : [])];
}

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
