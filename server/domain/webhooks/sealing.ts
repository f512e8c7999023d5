import { randomBytes } from "node:crypto";
import { unavailable } from "../errors.ts";
import { seal, sealingKey, unseal } from "../sealed-text.ts";
import { formatWebhookSecret } from "./signature.ts";
import type { SealedSecrets } from "./webhook.ts";

/** Keeps what signs webhooks from those who can read the database alone. */
export interface Sealing {
  /** A new secret as receivers know it, and as it is stored. */
  create(): { readonly secret: string; readonly sealed: string };
  /** Throws `unavailable` for what was sealed with a key that the settings do not name. */
  open(sealed: string): string;
}

/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

const mark = "sealed:";

/**
 * The first key seals, all open (AES-256-GCM, the keys through HKDF-SHA256). Without any, secrets are stored as they are, like
 * the keys that sign links.
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

/** What signs at the time: the secret, and the one before it while that still counts. */
export function secretsAt(sealing: Sealing, { secret, previousSecret, previousUntil }: SealedSecrets, now: number) {
  const isStill = previousSecret !== null && previousUntil !== null && previousUntil > now;
  return [sealing.open(secret), ...(isStill ? [sealing.open(previousSecret)] : [])];
}
