import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { unavailable } from "../errors.ts";
import { formatWebhookSecret } from "./signature.ts";
import type { SealedSecrets } from "./webhook.ts";

/** Keeps what signs webhooks from those who can read the database alone. */
export interface Sealing {
  /** A new secret as receivers know it, and as it is stored. */
  create(): { readonly secret: string; readonly sealed: string };
  /** Throws `unavailable` for what was sealed with a key that the settings do not name. */
  open(sealed: string): string;
}

/** NIST SP 800-38D: 96 bits for the nonce, 128 for the tag. */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = "aes-256-gcm";

/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

const mark = "sealed:";

/**
 * The first key seals, all open (AES-256-GCM, the keys through HKDF-SHA256). Without any, secrets are stored as they are, like
 * the keys that sign links.
 */
export function createSealing(keys: readonly string[]): Sealing {
  const derived = keys.map((key) => new Uint8Array(hkdfSync("sha256", key, "", "drs webhook secrets", 32)));
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

function seal(secret: string, key: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  const text = Buffer.concat([encryption.update(secret, "utf8"), encryption.final()]);
  return Buffer.concat([nonce, encryption.getAuthTag(), text]).toString("base64url");
}

function unseal(sealed: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  const textAt = nonceBytes + tagBytes;
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAuthTag(bytes.subarray(nonceBytes, textAt));
  try {
    return Buffer.concat([decryption.update(bytes.subarray(textAt)), decryption.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
