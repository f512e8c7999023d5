import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * What a credential is, by how it begins: an API key, a member's personal token, an invitation, a browser's session, a code
 * to sign in with, what a device asks with.
 */
export type SecretKind = "drs" | "drsp" | "drsi" | "drss" | "drsc" | "drsd";

/**
 * A credential is `<kind>_<id>_<secret>`: the id finds its row, the secret (256 random bits) is compared by its
 * SHA-256. A fast hash is enough because the secret cannot be guessed.
 */
export function formatSecret(kind: SecretKind, id: string, secret: string): string {
  return `${kind}_${id}_${secret}`;
}

/** The parts of a credential of the kind, both empty if it is none. */
export function parseSecret(kind: SecretKind, text: string): { readonly id: string; readonly secret: string } {
  const [, found, id = "", secret = ""] = /^(drs[piscd]?)_((?:inv_|ses_)?[0-9a-z]{26})_([\w-]{43})$/.exec(text) ?? [];
  return found === kind ? { id, secret } : { id: "", secret: "" };
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Takes the same time whether there is a row to compare with or not, so that a refusal does not say which it was. */
export function matchesSecret(secret: string, row: { readonly secretSha256: string } | undefined): boolean {
  const kept = row?.secretSha256 ?? hashSecret("no such secret");
  return timingSafeEqual(Buffer.from(hashSecret(secret), "hex"), Buffer.from(kept, "hex")) && row !== undefined;
}
