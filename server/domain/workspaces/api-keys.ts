import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Caller } from "../caller.ts";
import type { Clock } from "../clock.ts";
import { unauthenticated } from "../errors.ts";
import { type KeyId, parseKeyId } from "../ids.ts";
import type { KeyStore } from "../ports/metadata.ts";
import type { UseLog } from "../use-log.ts";

/**
 * An API key is `drs_<key id>_<secret>`: the id finds its row, the secret (256 random bits) is compared by its
 * SHA-256. A fast hash is enough because the secret cannot be guessed.
 */
export function formatKey(id: KeyId, secret: string): string {
  return `drs_${id}_${secret}`;
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export type Authenticate = (key: string | undefined) => Promise<Caller>;

/** Finds out who calls. Throws `unauthenticated` for a missing, unknown or revoked key. */
export function createAuthenticate(keys: Pick<KeyStore, "get">, uses: UseLog<KeyId>, clock: Clock): Authenticate {
  return async (key) => {
    if (key === undefined || key === "") {
      throw unauthenticated("this request has no API key; send one in the x-api-key header");
    }
    const [, id, secret] = /^drs_([0-9a-z]{26})_([\w-]{43})$/.exec(key) ?? [];
    const keyId = parseKeyId(id ?? "");
    const row = keyId && (await keys.get(keyId));
    // Compared also when there is no such key, so that both refusals take the same time.
    const matches = sameHash(hashSecret(secret ?? ""), row?.secretSha256 ?? hashSecret("no such key"));
    if (row === undefined || !matches || row.revokedAt !== null) {
      throw unauthenticated(
        "this API key is not known; check the x-api-key header, or create a key with drs keys create",
      );
    }
    uses.record(row.id, clock());
    return {
      organisationId: row.organisationId,
      workspaceId: row.workspaceId,
      keyId: row.id,
      scopes: new Set(row.scopes),
    };
  };
}

function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));
}
