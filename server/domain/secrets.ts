import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Prefixes of credentials, in this order: API key, personal token of a member, invitation, browser session, sign-in
 * code, device code.
 */
export type SecretKind = "drs" | "drsp" | "drsi" | "drss" | "drsc" | "drsd";

/**
 * A credential is `<kind>_<id>_<secret>`: the id finds its row, the secret (256 random bits) is compared by its
 * SHA-256. A fast hash is enough because the secret cannot be guessed.
 */
export function formatSecret(kind: SecretKind, id: string, secret: string): string {
  return `${kind}_${id}_${secret}`;
}

/** The parts of a credential of the kind; both are empty if it is not one. */
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

/** Takes the same time whether or not there is a row, so that a refusal does not reveal which it was. */
export function matchesSecret(secret: string, row: { readonly secretSha256: string } | undefined): boolean {
  const stored = row?.secretSha256 ?? hashSecret("no such secret");
  return timingSafeEqual(Buffer.from(hashSecret(secret), "hex"), Buffer.from(stored, "hex")) && row !== undefined;
}
