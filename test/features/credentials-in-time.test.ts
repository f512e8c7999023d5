import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Authenticate, createAuthenticate } from "../../server/domain/authenticate.ts";
import type { Caller } from "../../server/domain/caller.ts";
import type { KeyId, MemberId, SessionId } from "../../server/domain/ids.ts";
import { acceptInvitation, inviteMember } from "../../server/domain/members/invitations.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { createUseLog } from "../../server/domain/use-log.ts";
import { ensureFirstCredentials } from "../../server/domain/organisations/found.ts";
import { createKey, rotateKey } from "../../server/domain/workspaces/keys.ts";

const hourMs = 3_600_000;
let now = 1_790_000_000_000;
const clock = (): number => now;
let dataDir: string;
let metadata: Metadata;
let authenticate: Authenticate;
let caller: Caller;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-credentials-"));
  metadata = await openMetadata({ url: undefined, dataDir });
  const uses = {
    keys: createUseLog<KeyId>((marks) => metadata.keys.touch(marks)),
    members: createUseLog<MemberId>((marks) => metadata.members.touch(marks)),
    sessions: createUseLog<SessionId>((marks) => metadata.sessions.touch(marks)),
  };
  authenticate = createAuthenticate(metadata, uses, clock);
  const first = await ensureFirstCredentials(metadata, false, now);
  caller = await authenticate(first?.apiKey, undefined);
});
afterAll(async () => {
  await metadata.close();
  await rm(dataDir, { recursive: true });
});

const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  );

test("the first key is the operator's, and is given out again only if it is lost", async () => {
  expect(caller).toMatchObject({ isOperator: true, actor: { kind: "key" } });
  expect(await ensureFirstCredentials(metadata, false, now)).toBeUndefined();
  const again = await ensureFirstCredentials(metadata, true, now);
  const { workspaceId, organisationId } = caller;
  expect(again).toMatchObject({ workspaceId, organisationId });
  expect(await authenticate(again?.apiKey, undefined)).toMatchObject({ workspaceId, isOperator: true });
});

test("an invitation works until it expires, and is then refused like an unknown one", async () => {
  const input = { name: "Ada", role: "viewer", expiresInHours: 2, email: undefined } as const;
  const [early, late] = [
    await inviteMember({ metadata, clock }, { caller, input }),
    await inviteMember({ metadata, clock }, { caller, input }),
  ];
  now += 2 * hourMs - 1;
  const { token } = await acceptInvitation({ metadata, clock }, { input: { token: early.token, name: "" } });
  expect(await authenticate(token, undefined)).toMatchObject({ actor: { role: "viewer" } });
  now += 1;
  const refused = (text: string): Promise<string> =>
    messageOf(acceptInvitation({ metadata, clock }, { input: { token: text, name: "" } }));
  const sentence = await refused(late.token);
  expect(sentence).toMatch(/not valid, has expired or has been used/);
  expect(await refused(late.token.replace(/.{5}$/, "aaaaa"))).toBe(sentence);
  expect(await metadata.members.list(caller.organisationId)).toHaveLength(1);
});

test("a rotated key works until its overlap ends, its successor as long as the key was made for", async () => {
  const input = { workspace: "", name: "app", scopes: [], expiresInDays: 10, requestsPerMinute: undefined };
  const old = await createKey({ metadata, clock }, { caller, input });
  now += 9 * 24 * hourMs;
  const fresh = await rotateKey({ metadata, clock }, { caller, input: { id: old.id, overlapHours: 3 } });
  now += 3 * hourMs - 1;
  for (const { key } of [old, fresh]) expect(await authenticate(key, undefined)).toBeDefined();
  now += 1;
  expect(await messageOf(authenticate(old.key, undefined))).toMatch(/not known/);
  now += (10 * 24 - 3) * hourMs - 1;
  expect(await authenticate(fresh.key, undefined)).toBeDefined();
  now += 1;
  expect(await messageOf(authenticate(fresh.key, undefined))).toMatch(/not known/);
});

test("a key near its end is not given more time by a long overlap", async () => {
  const input = { workspace: "", name: "short", scopes: [], expiresInDays: 1, requestsPerMinute: undefined };
  const old = await createKey({ metadata, clock }, { caller, input });
  await rotateKey({ metadata, clock }, { caller, input: { id: old.id, overlapHours: 720 } });
  now += 24 * hourMs;
  expect(await messageOf(authenticate(old.key, undefined))).toMatch(/not known/);
});
