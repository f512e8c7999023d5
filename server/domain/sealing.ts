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
  return encrypt(Buffer.from(text), key).toString("base64url");
}

/** Decrypts a sealed text; undefined if it was not sealed with the key. */
export function unseal(sealed: string, key: Uint8Array): string | undefined {
  return decrypt(Buffer.from(sealed, "base64url"), key)?.toString("utf8");
}

/** The parts of the secret that opens a sealed answer; drs stores neither. */
export interface AnswerSecret {
  /** The credential of the request. */
  readonly credential: string;
  readonly idempotencyKey: string;
}

/** RFC 5869: as long as the hash. */
const saltBytes = 32;

/**
 * Encrypts an answer that contains a secret (AES-256-GCM). Only the caller that received it can open the stored
 * answer, because the key is derived from the caller's request (HKDF-SHA256).
 */
export function sealAnswer(answer: Uint8Array, secret: AnswerSecret): Uint8Array {
  const salt = randomBytes(saltBytes);
  return Buffer.concat([salt, encrypt(answer, keyOf(secret, salt))]);
}

/** Decrypts the answer; undefined if it was sealed with another secret. */
export function openAnswer(sealed: Uint8Array, secret: AnswerSecret): Uint8Array | undefined {
  return decrypt(sealed.subarray(saltBytes), keyOf(secret, sealed.subarray(0, saltBytes)));
}

function keyOf({ credential, idempotencyKey }: AnswerSecret, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", credential, salt, `drs answer to ${idempotencyKey}`, 32));
}

/** Returns nonce, tag and encrypted bytes. */
function encrypt(content: Uint8Array, key: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  const sealed = Buffer.concat([encryption.update(content), encryption.final()]);
  return Buffer.concat([nonce, encryption.getAuthTag(), sealed]);
}

/** Undefined if the bytes were not encrypted with the key. */
function decrypt(bytes: Uint8Array, key: Uint8Array): Buffer | undefined {
  const textAt = nonceBytes + tagBytes;
  if (bytes.length < textAt) return undefined;
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAuthTag(bytes.subarray(nonceBytes, textAt));
  try {
    return Buffer.concat([decryption.update(bytes.subarray(textAt)), decryption.final()]);
  } catch {
    return undefined;
  }
}
