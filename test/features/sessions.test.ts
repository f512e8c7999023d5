import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDrs, type Drs } from "@drs/client";
import { beginSession, ofConsole } from "../service/session.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let admin: Drs;
beforeAll(async () => {
  server = await startServer();
  admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly body: Record<string, unknown>;
}

async function ask(method: string, path: string, headers: Record<string, string>, json?: object): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const [cookie] = response.headers.getSetCookie();
  return { status: response.status, cookie, body: (await response.json()) as Record<string, unknown> };
}

const signIn = (credential: string, headers: Record<string, string> = ofConsole): Promise<Answer> =>
  ask("POST", "/v1/sessions", headers, { credential });

/** Begins a session. Returns the headers that the browser sends from then on. */
const begin = (credential: string): Promise<Record<string, string>> => beginSession(server.url, credential);

async function newMember(role: "admin" | "viewer"): Promise<{ readonly id: string; readonly token: string }> {
  const { token } = await admin.members.invite({ name: "Ada", role });
  const joined = await createDrs({ server: server.url }).acceptInvitation({ token });
  return { id: joined.member.id, token: joined.token };
}

const statusWith = async (headers: Record<string, string>): Promise<number> =>
  (await ask("GET", "/v1/me", headers)).status;

test("the cookie is for this server's own pages, and no script can read it", async () => {
  const { cookie } = await signIn(server.credentials.apiKey);
  expect(cookie).toMatch(
    /^drs_session_\d+=drss_ses_[0-9a-z]{26}_[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
  );
});

test("over https it is sent over https alone", async () => {
  const behind = await startServer({ publicUrl: "https://drs.example/docs" });
  try {
    const answer = await fetch(`${behind.url}/v1/sessions`, {
      method: "POST",
      headers: { ...ofConsole, "content-type": "application/json" },
      body: JSON.stringify({ credential: behind.credentials.apiKey }),
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^drs_session=[^;]+; Path=\/docs; Expires=[^;]+; HttpOnly; SameSite=Strict; Secure$/),
    ]);
  } finally {
    await behind.remove();
  }
});

test.each(["x-api-key", "authorization", "key", "drs_session"])("a key in a cookie is none: %s", async (name) => {
  const cookies = [name, `${name}_${new URL(server.url).port}`].map((each) => `${each}=${server.credentials.apiKey}`);
  expect(await statusWith({ ...ofConsole, cookie: cookies.join("; ") })).toBe(401);
});

test.each(["key", "member"] as const)("a session does what its %s may, and no more", async (kind) => {
  const credential = kind === "key" ? server.credentials.apiKey : (await newMember("viewer")).token;
  const session = await begin(credential);
  const [me, itself] = [await ask("GET", "/v1/me", session), await ask("GET", "/v1/me", { "x-api-key": credential })];
  expect(me.body).toEqual(itself.body);
  expect((await ask("GET", "/v1/datasets", session)).status).toBe(200);
  expect((await ask("GET", "/v1/admin/members", session)).status).toBe(kind === "key" ? 200 : 403);
});

describe("what other sites send", () => {
  let session: Record<string, string>;
  beforeEach(async () => {
    session = await begin(server.credentials.apiKey);
  });

  test.each<[string, Record<string, string>]>([
    ["the cookie alone", { "x-drs-console": "" }],
    ["from another site", { "sec-fetch-site": "cross-site" }],
    ["from another port or subdomain", { "sec-fetch-site": "same-site" }],
    ["from another origin", { origin: "http://127.0.0.1:1" }],
  ])("does not count: %s", async (_, headers) => {
    expect(await statusWith(session)).toBe(200);
    expect(await statusWith({ ...session, ...headers })).toBe(401);
    expect((await signIn(server.credentials.apiKey, { ...ofConsole, ...headers })).status).toBe(403);
  });

  test("and their browsers are told not to send the console's header", async () => {
    const answer = await fetch(`${server.url}/v1/me`, {
      method: "OPTIONS",
      headers: { origin: "http://evil.example", "access-control-request-headers": "x-drs-console" },
    });
    expect(answer.headers.get("access-control-allow-headers")).not.toContain("x-drs-console");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test("a key beside the cookie decides", async () => {
  const { id, token } = await newMember("viewer");
  const session = await begin(server.credentials.apiKey);
  const { body } = await ask("GET", "/v1/me", { ...session, authorization: `Bearer ${token}` });
  expect(body["data"]).toMatchObject({ memberId: id });
});

test("sessions are listed and ended by their owner alone", async () => {
  const { token } = await newMember("admin");
  const [one, other] = [await begin(token), await begin(token)];
  const stranger = await begin((await newMember("admin")).token);
  const listed = (await ask("GET", "/v1/sessions", one)).body;
  expect(listed).toMatchObject({ total: 2, data: [{ isCurrent: true }, { isCurrent: false }] });
  const [first, second] = await createDrs({ server: server.url, apiKey: token }).sessions.list();
  expect((await ask("DELETE", `/v1/sessions/${second?.id}`, stranger)).status).toBe(404);
  expect(await statusWith(other)).toBe(200);
  expect((await ask("DELETE", `/v1/sessions/${second?.id}`, one)).status).toBe(200);
  expect(await statusWith(other)).toBe(401);
  const ended = await ask("DELETE", `/v1/sessions/${first?.id}`, one);
  expect(ended.cookie).toMatch(/^drs_session_\d+=; Path=\/; Expires=Thu, 01 Jan 1970/);
  expect(await statusWith(one)).toBe(401);
});

test("signing out ends the session, and the token goes on", async () => {
  const { token } = await newMember("viewer");
  const session = await begin(token);
  const { status, cookie } = await ask("POST", "/v1/me/sign-out", session, {});
  expect([status, cookie]).toEqual([200, expect.stringMatching(/Expires=Thu, 01 Jan 1970/)]);
  expect(await statusWith(session)).toBe(401);
  expect(await statusWith({ "x-api-key": token })).toBe(200);
});

test("sessions end with their member and their key", async () => {
  const { id, token } = await newMember("viewer");
  const key = await admin.keys.create({ scopes: ["read"] });
  const [ofMember, ofKey] = [await begin(token), await begin(key.key)];
  await admin.members.remove(id);
  await admin.keys.revoke(key.id);
  expect([await statusWith(ofMember), await statusWith(ofKey)]).toEqual([401, 401]);
});

test("a code signs in once, as who made it", async () => {
  const { id, token } = await newMember("viewer");
  const { code } = await createDrs({ server: server.url, apiKey: token }).sessions.createCode();
  const session = await begin(code);
  expect((await ask("GET", "/v1/me", session)).body["data"]).toMatchObject({ memberId: id });
  const again = await signIn(code);
  expect([again.status, again.cookie]).toEqual([403, undefined]);
});

test.each([
  ["unknown", "drsc_01jzzzzzzzzzzzzzzzzzzzzzzz_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
  ["an invented key", "drs_01jzzzzzzzzzzzzzzzzzzzzzzz_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
  ["no credential", "open sesame"],
])("what is %s signs nobody in", async (_, credential) => {
  const { status, body, cookie } = await signIn(credential);
  expect([status, cookie]).toEqual([403, undefined]);
  expect(body["error"]).toMatch(/^this does not sign you in/);
});

test("a session's secret begins no other session", async () => {
  const { cookie = "" } = await signIn(server.credentials.apiKey);
  const secret = /=(drss_[^;]+)/.exec(cookie)?.[1] ?? "";
  expect((await signIn(secret)).status).toBe(403);
});
