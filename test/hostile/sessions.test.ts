import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDrs, type Drs, type MemberRole } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshMs } from "../../server/domain/sessions/session.ts";
import { askRest, beginSession } from "../service/session.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let admin: Drs;
beforeAll(async () => {
  server = await startServer();
  admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());

async function newMember(role: MemberRole): Promise<{ readonly id: string; readonly token: string }> {
  const { token } = await admin.members.invite({ name: "Ada", role });
  const joined = await createDrs({ server: server.url }).acceptInvitation({ token });
  return { id: joined.member.id, token: joined.token };
}

const ask = (method: string, path: string, headers: Record<string, string>, json?: object) =>
  askRest(server.url, method, path, headers, json);

describe("the answer with a secret that a browser has got", () => {
  test.each<[string, string, object]>([
    ["a key", "/v1/admin/keys", { name: "deploy" }],
    ["an invitation", "/v1/admin/invitations", { name: "Bo", role: "viewer" }],
  ])("is repeated to nobody else who sends the same request: %s", async (kind, path, request) => {
    const [owner, other] = [await newMember("owner"), await newMember("admin")];
    const repeated = { "idempotency-key": `the-same-${kind.replace(" ", "-")}` };
    const mine = { ...(await beginSession(server.url, owner.token)), ...repeated };
    const first = await ask("POST", path, mine, request);
    expect(first.status).toBe(200);
    const others = [
      await beginSession(server.url, other.token),
      await beginSession(server.url, owner.token),
      { "x-api-key": other.token },
    ];
    for (const headers of others) {
      const { status, body } = await ask("POST", path, { ...headers, ...repeated }, request);
      expect({ status, data: body["data"] }).toEqual({ status: 422, data: undefined });
    }
    const again = await ask("POST", path, mine, request);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(again.body).toEqual(first.body);
  });
});

describe("with a stolen session", () => {
  /** As the session is some minutes after its sign-in. */
  function age(id: string): void {
    const database = new DatabaseSync(join(server.dataDir, "metadata.sqlite"), { timeout: 5_000 });
    try {
      database.prepare(`update "sessions" set "createdAt" = "createdAt" - ? where "id" = ?`).run(freshMs, id);
    } finally {
      database.close();
    }
  }
  const nobody = () => createDrs({ server: server.url });
  const currentOf = async (session: Record<string, string>): Promise<string> => {
    const { body } = await ask("GET", "/v1/sessions", session);
    const mine = (body["data"] as { id: string; isCurrent: boolean }[]).find(({ isCurrent }) => isCurrent);
    return mine?.id ?? "";
  };

  test("no code is made that would begin another one", async () => {
    const session = await beginSession(server.url, (await newMember("owner")).token);
    const { status, body } = await ask("POST", "/v1/sessions/codes", session, {});
    expect([status, body["data"]]).toEqual([403, undefined]);
  });

  test("nothing is made that gives access, once the sign-in is some minutes old", async () => {
    const owner = await newMember("owner");
    const { id: colleague } = await newMember("viewer");
    const session = await beginSession(server.url, owner.token);
    const webhook = await admin.webhooks.create({ url: "https://hooks.localhost.example:8443/" });
    const key = await admin.keys.create({ name: "rotated", scopes: ["read"] });
    const { deviceCode, userCode } = await nobody().devices.start("a device");
    age(await currentOf(session));
    const asked: readonly [string, string, object?][] = [
      ["POST", "/v1/admin/keys", { name: "mine" }],
      ["POST", `/v1/admin/keys/${key.id}/rotate`, {}],
      ["POST", "/v1/admin/invitations", { name: "Eve", role: "admin" }],
      ["PATCH", `/v1/admin/members/${colleague}`, { role: "owner" }],
      ["POST", "/v1/admin/organisations", { name: "Mine" }],
      ["POST", "/v1/webhooks", { url: "https://evil.localhost.example:8443/" }],
      ["GET", `/v1/webhooks/${webhook.id}/secret`],
      ["POST", `/v1/webhooks/${webhook.id}/secret/rotate`, {}],
      ["POST", `/v1/sessions/devices/${userCode}/approve`, {}],
      ["POST", "/v1/me/identities", {}],
    ];
    for (const [method, path, json] of asked) {
      const { status, body } = await ask(method, path, session, json);
      expect({ path, status, error: body["error"] }).toEqual({
        path,
        status: 401,
        error: expect.stringMatching(/sign in again/),
      });
    }
    expect(await nobody().devices.poll(deviceCode)).toBeNull();
    // The rest goes on, and so does a key or a token.
    expect((await ask("GET", "/v1/admin/keys", session)).status).toBe(200);
    expect((await ask("POST", "/v1/admin/keys", { "x-api-key": owner.token }, { name: "mine" })).status).toBe(200);
  });

  test("what was let in while it was fresh ends with it, before and after the device has its token", async () => {
    const owner = await newMember("owner");
    const session = await beginSession(server.url, owner.token);
    const [polled, waiting] = [await nobody().devices.start("a device"), await nobody().devices.start("another")];
    for (const { userCode } of [polled, waiting]) {
      const { status } = await ask("POST", `/v1/sessions/devices/${userCode}/approve`, session, {});
      expect(status).toBe(200);
    }
    const { token = "" } = (await nobody().devices.poll(polled.deviceCode)) ?? {};
    expect(await statusWith(token)).toBe(200);
    await createDrs({ server: server.url, apiKey: owner.token }).sessions.end(await currentOf(session));
    expect(await statusWith(token)).toBe(401);
    await expect(nobody().devices.poll(waiting.deviceCode)).rejects.toMatchObject({ code: "permission_denied" });
    expect(await statusWith(owner.token)).toBe(200);
  });

  const statusWith = async (token: string): Promise<number> =>
    (await ask("GET", "/v1/me", { "x-api-key": token })).status;
});

describe("the cookie of a session, as the servers on all ports of the host get it", () => {
  const secretOf = (session: Record<string, string>): string => session["cookie"]?.split("=", 2)[1] ?? "";

  test.each<[string, (session: Record<string, string>) => Record<string, string>]>([
    ["alone", ({ cookie = "" }) => ({ cookie })],
    ["with the header that anybody knows", ({ cookie = "" }) => ({ cookie, "x-drs-console": "1" })],
    ["with another session's secret", ({ cookie = "" }) => ({ cookie, "x-drs-console": "a".repeat(43) })],
    ["as an API key", (session) => ({ "x-api-key": secretOf(session) })],
    ["as a token", (session) => ({ authorization: `Bearer ${secretOf(session)}` })],
    ["as an API key beside all that is right", (session) => ({ ...session, "x-api-key": secretOf(session) })],
    ["from another site", (session) => ({ ...session, "sec-fetch-site": "cross-site" })],
    ["from another port", (session) => ({ ...session, "sec-fetch-site": "same-site" })],
    ["from another origin", (session) => ({ ...session, origin: "http://127.0.0.1:1" })],
  ])("opens nothing: %s", async (_, headersOf) => {
    const session = await beginSession(server.url, (await newMember("owner")).token);
    expect((await ask("GET", "/v1/me", session)).status).toBe(200);
    const headers = headersOf(session);
    expect((await ask("GET", "/v1/me", headers)).status).toBe(401);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    expect([401, 403]).toContain((await ask("POST", "/mcp", headers, message)).status);
    const state = await fetch(`${server.url}/operator/state`, { headers });
    expect([401, 403]).toContain(state.status);
  });

  test("is no key to the page's secret: neither is in a list of sessions, nor in the database", async () => {
    const session = await beginSession(server.url, (await newMember("owner")).token);
    const { body } = await ask("GET", "/v1/sessions", session);
    const secrets = [secretOf(session).slice(-43), session["x-drs-console"] ?? ""];
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    for (const name of ["metadata.sqlite", "metadata.sqlite-wal"]) {
      const bytes = await readFile(join(server.dataDir, name));
      for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
    }
  });
});
