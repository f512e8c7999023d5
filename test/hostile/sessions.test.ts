import { createDrs, type Drs, type MemberRole } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
