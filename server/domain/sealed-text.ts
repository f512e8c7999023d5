import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** NIST SP 800-38D: 96 bits for the nonce, 128 for the tag. */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = "aes-256-gcm";

/** Derives a key for one purpose from a secret that cannot be guessed (HKDF-SHA256). */
export function sealingKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
}

/** Encrypts a text so that only holders of the key can read or change it (AES-256-GCM); base64url. */
export function seal(text: string, key: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  const sealed = Buffer.concat([encryption.update(text, "utf8"), encryption.final()]);
  return Buffer.concat([nonce, encryption.getAuthTag(), sealed]).toString("base64url");
}

/** Decrypts a sealed text; undefined if it was not sealed with the key. */
export function unseal(sealed: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  const textAt = nonceBytes + tagBytes;
  if (bytes.length < textAt) return undefined;
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAuthTag(bytes.subarray(nonceBytes, textAt));
  try {
    return Buffer.concat([decryption.update(bytes.subarray(textAt)), decryption.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
