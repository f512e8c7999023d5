import { describe, expect, test } from "vitest";
import { createAuthenticate } from "./authenticate.ts";
import {
  type KeyId,
  type MemberId,
  type SessionId,
  newKeyId,
  newMemberId,
  newOrganisationId,
  newSessionId,
  newTokenId,
  newWorkspaceId,
  type WorkspaceId,
} from "./ids.ts";
import type { MemberRole } from "./members/member.ts";
import { formatSecret, hashSecret, newSecret } from "./secrets.ts";
import { type Holder, idleMs, type Session } from "./sessions/session.ts";
import { createUseLog } from "./use-log.ts";
import type { ApiKey, Workspace } from "./workspaces/workspace.ts";

const organisationId = newOrganisationId();
const [home, annexe]: [Workspace, Workspace] = [
  { id: newWorkspaceId(), organisationId, name: "default", createdAt: 1 },
  { id: newWorkspaceId(), organisationId, name: "annexe", createdAt: 2 },
];
const secret = newSecret();
const key: ApiKey = {
  id: newKeyId(),
  organisationId,
  workspaceId: annexe.id,
  name: "test",
  secretSha256: hashSecret(secret),
  scopes: ["read"],
  createdAt: 1,
  lastUsedAt: null,
  revokedAt: null,
  expiresAt: null,
  requestsPerMinute: 60,
  filter: null,
  replacedBy: null,
};
const member = { id: newMemberId(), organisationId, name: "Ada", createdAt: 1, lastUsedAt: null };
const token = { id: newTokenId(), memberId: member.id, name: null, secretSha256: hashSecret(secret), createdAt: 1 };
const keyText = formatSecret("drs", key.id, secret);
const tokenText = formatSecret("drsp", token.id, secret);

/** Authenticates one key and one member, at the time 42. */
function authenticateAgainst({
  row = key,
  role = "member",
  sessions = [],
}: { row?: ApiKey; role?: MemberRole; sessions?: readonly Session[] } = {}) {
  const written = new Map<KeyId | MemberId | SessionId, number>();
  const write = async (batch: ReadonlyMap<KeyId | MemberId | SessionId, number>) =>
    batch.forEach((at, id) => written.set(id, at));
  const uses = {
    keys: createUseLog<KeyId>(write),
    members: createUseLog<MemberId>(write),
    sessions: createUseLog<SessionId>(write),
  };
  const workspaces = [home, annexe];
  const authenticate = createAuthenticate(
    {
      keys: { get: async (id) => (id === row.id ? row : undefined) },
      members: {
        findToken: async (id) => (id === token.id ? { token, member: { ...member, role } } : undefined),
        get: async (_, id) => (id === member.id ? { ...member, role } : undefined),
      },
      sessions: { get: async (id) => sessions.find((session) => session.id === id) },
      organisations: { operator: async () => undefined },
      workspaces: {
        find: async (_, idOrName) => workspaces.find(({ id, name }) => id === idOrName || name === idOrName),
        oldest: async () => home,
      },
    },
    uses,
    () => 42,
  );
  return { authenticate, uses, written };
}

test("a key opens its workspace with its scopes, and the use is recorded", async () => {
  const { authenticate, uses, written } = authenticateAgainst();
  const caller = await authenticate(keyText, undefined);
  const actor = { kind: "key", keyId: key.id, requestsPerMinute: 60 };
  expect(caller).toEqual({
    organisationId,
    workspaceId: annexe.id,
    actor,
    scopes: new Set(["read"]),
    isOperator: false,
  });
  await uses.keys.flush();
  expect(written).toEqual(new Map([[key.id, 42]]));
});

test("a personal token opens the oldest workspace with the scopes of the role, and the use is recorded", async () => {
  const { authenticate, uses, written } = authenticateAgainst({ role: "viewer" });
  const caller = await authenticate(tokenText, "");
  const actor = { kind: "member", memberId: member.id, tokenId: token.id, role: "viewer" };
  const scopes = new Set(["read", "search"]);
  expect(caller).toEqual({ organisationId, workspaceId: home.id, actor, scopes, isOperator: false });
  await uses.members.flush();
  expect(written).toEqual(new Map([[member.id, 42]]));
});

test.each<[string, WorkspaceId]>([
  ["annexe", annexe.id],
  [annexe.id, annexe.id],
  ["default", home.id],
])("a member calls in the workspace %j", async (workspace, id) => {
  expect(await authenticateAgainst().authenticate(tokenText, workspace)).toMatchObject({ workspaceId: id });
});

test("a key is valid for its own workspace, by id or name, and for no other", async () => {
  const { authenticate } = authenticateAgainst();
  for (const own of ["annexe", annexe.id]) {
    expect(await authenticate(keyText, own)).toMatchObject({ workspaceId: annexe.id });
  }
  for (const credential of [keyText, tokenText]) {
    await expect(authenticate(credential, "nowhere")).rejects.toThrow('there is no workspace "nowhere"');
  }
  await expect(authenticate(keyText, "default")).rejects.toThrow('there is no workspace "default"');
});

test.each([undefined, ""])("a missing key (%j) is reported as missing", async (text) => {
  await expect(authenticateAgainst().authenticate(text, undefined)).rejects.toThrow(/has no API key/);
});

test("unknown, wrong, expired and revoked keys are refused alike", async () => {
  const refused = [
    authenticateAgainst().authenticate(formatSecret("drs", newKeyId(), secret), undefined),
    authenticateAgainst().authenticate(formatSecret("drs", key.id, newSecret()), undefined),
    authenticateAgainst().authenticate(`drs_${key.id}`, undefined),
    authenticateAgainst().authenticate(tokenText.replace("drsp", "drs"), undefined),
    authenticateAgainst().authenticate("' or 1=1 --", undefined),
    authenticateAgainst({ row: { ...key, revokedAt: 2 } }).authenticate(keyText, undefined),
    authenticateAgainst({ row: { ...key, expiresAt: 42 } }).authenticate(keyText, undefined),
  ];
  const sentences = await Promise.all(refused.map((attempt) => attempt.then(String, (error: Error) => error.message)));
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]).toMatch(/not known/);
  const lasting = { ...key, expiresAt: 43 };
  expect(await authenticateAgainst({ row: lasting }).authenticate(keyText, undefined)).toMatchObject({
    organisationId,
  });
});

test("unknown and wrong personal tokens are refused alike", async () => {
  const attempts = [
    formatSecret("drsp", newTokenId(), secret),
    formatSecret("drsp", token.id, newSecret()),
    keyText.replace("drs_", "drsp_"),
    "drsp_",
  ].map((text) => authenticateAgainst().authenticate(text, undefined));
  const sentences = await Promise.all(attempts.map((attempt) => attempt.then(String, (error: Error) => error.message)));
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]).toMatch(/not known/);
});

describe("sessions", () => {
  const pageSecret = newSecret();
  const proofOf = ({ id }: Pick<Session, "id">, ofPage = pageSecret) => ({
    secret: formatSecret("drss", id, secret),
    pageSecret: ofPage,
  });
  const holders: readonly Holder[] = [
    { kind: "key", keyId: key.id },
    { kind: "member", memberId: member.id },
  ];
  const sessionOf = (holder: Holder, fields: Partial<Session> = {}): Session => ({
    id: newSessionId(),
    organisationId,
    holder,
    secretSha256: hashSecret(secret),
    pageSecretSha256: hashSecret(pageSecret),
    agent: "",
    createdAt: 1,
    lastUsedAt: null,
    expiresAt: 43,
    ...fields,
  });

  test.each(holders)("a session acts as its $kind, and its use is recorded", async (holder) => {
    const session = sessionOf(holder);
    const { authenticate, uses, written } = authenticateAgainst({ sessions: [session] });
    const { sessionId, isFresh, ...caller } = await authenticate(proofOf(session), undefined);
    const itself = await authenticate(holder.kind === "key" ? keyText : tokenText, undefined);
    expect(caller).toEqual({
      ...itself,
      actor: holder.kind === "key" ? itself.actor : { ...itself.actor, tokenId: undefined },
    });
    expect([sessionId, isFresh]).toEqual([session.id, true]);
    await uses.sessions.flush();
    expect(written).toEqual(new Map([[session.id, 42]]));
  });

  test("ended, expired and unknown sessions, and those of revoked keys and removed members, are refused alike", async () => {
    const [ofKey, ofMember] = [
      sessionOf({ kind: "key", keyId: key.id }),
      sessionOf({ kind: "member", memberId: newMemberId() }),
    ];
    const attempts = [
      { session: sessionOf({ kind: "key", keyId: key.id }, { expiresAt: 42 }) },
      { session: sessionOf({ kind: "key", keyId: key.id }, { createdAt: 42 - idleMs }) },
      { session: ofKey, row: { ...key, revokedAt: 2 } },
      { session: ofMember },
      { session: ofKey, proof: { ...proofOf(ofKey), secret: formatSecret("drss", ofKey.id, newSecret()) } },
      { session: ofKey, proof: proofOf({ id: newSessionId() }) },
      { session: ofKey, proof: { ...proofOf(ofKey), secret: "drss_" } },
      { session: ofKey, proof: proofOf(ofKey, newSecret()) },
      { session: ofKey, proof: proofOf(ofKey, "1") },
    ].map(({ session, row = key, proof = proofOf(session) }) =>
      authenticateAgainst({ row, sessions: [session] }).authenticate(proof, undefined),
    );
    const sentences = await Promise.all(
      attempts.map((attempt) => attempt.then(String, (error: Error) => error.message)),
    );
    expect(new Set(sentences)).toEqual(new Set(["this session has ended; sign in again"]));
  });

  test("the secret of its cookie alone is not a credential", async () => {
    const session = sessionOf({ kind: "key", keyId: key.id });
    const { authenticate } = authenticateAgainst({ sessions: [session] });
    await expect(authenticate(proofOf(session).secret, undefined)).rejects.toThrow(/counts in the browser/);
  });
});
