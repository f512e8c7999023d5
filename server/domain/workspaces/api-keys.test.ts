import { expect, test } from "vitest";
import { newKeyId, newOrganisationId, newWorkspaceId, type KeyId } from "../ids.ts";
import { createUseLog } from "../use-log.ts";
import { createAuthenticate, formatKey, hashSecret, newSecret } from "./api-keys.ts";
import type { ApiKey } from "./workspace.ts";

const secret = newSecret();
const key: ApiKey = {
  id: newKeyId(),
  organisationId: newOrganisationId(),
  workspaceId: newWorkspaceId(),
  name: "test",
  secretSha256: hashSecret(secret),
  scopes: ["read"],
  createdAt: 1,
  lastUsedAt: null,
  revokedAt: null,
};

function authenticateAgainst(...rows: ApiKey[]) {
  const written = new Map<KeyId, number>();
  const uses = createUseLog<KeyId>(async (batch) => batch.forEach((at, id) => written.set(id, at)));
  const store = { get: async (id: KeyId) => rows.find((row) => row.id === id) };
  return { authenticate: createAuthenticate(store, uses, () => 42), uses, written };
}

test("a key opens its workspace with its scopes, and the use is recorded", async () => {
  const { authenticate, uses, written } = authenticateAgainst(key);
  const caller = await authenticate(formatKey(key.id, secret));
  expect(caller).toMatchObject({ workspaceId: key.workspaceId, organisationId: key.organisationId, keyId: key.id });
  expect([...caller.scopes]).toEqual(["read"]);
  await uses.flush();
  expect(written).toEqual(new Map([[key.id, 42]]));
});

test.each([undefined, ""])("no key (%j) is said as that", async (text) => {
  await expect(authenticateAgainst(key).authenticate(text)).rejects.toThrow(/has no API key/);
});

test("unknown, wrong and revoked keys are refused alike", async () => {
  const { authenticate } = authenticateAgainst(key, { ...key, id: newKeyId(), revokedAt: 2 });
  const revoked = authenticateAgainst({ ...key, revokedAt: 2 });
  const attempts = [
    authenticate(formatKey(newKeyId(), secret)),
    authenticate(formatKey(key.id, newSecret())),
    authenticate(`drs_${key.id}`),
    authenticate("' or 1=1 --"),
    revoked.authenticate(formatKey(key.id, secret)),
  ];
  const sentences = await Promise.all(attempts.map((attempt) => attempt.then(String, (error: Error) => error.message)));
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]).toMatch(/not known/);
});
