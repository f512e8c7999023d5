import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxWaiting } from "../../server/domain/devices/device.ts";
import { askRest } from "../service/session.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ trustedProxies: "127.0.0.1/32" });
});
afterAll(() => server.remove());

async function startFrom(address: string): Promise<{ readonly status: number; readonly userCode: string }> {
  const from = { "x-forwarded-for": address };
  const { status, body } = await askRest(server.url, "POST", "/v1/sessions/devices", from, { name: "a device" });
  return { status, userCode: String(Object(body["data"])["userCode"]) };
}

async function newMember() {
  const admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const { token } = await admin.members.invite({ name: "Ada", role: "viewer" });
  return (await createDrs({ server: server.url }).acceptInvitation({ token })).token;
}

/** As if the network had begun as many sign-ins as are kept. */
function fill(network: string): void {
  const database = new DatabaseSync(join(server.dataDir, "metadata.sqlite"), { timeout: 5_000 });
  try {
    database
      .prepare(
        `with recursive "n"("i") as (select 1 union all select "i" + 1 from "n" where "i" < ?)
        insert into "deviceCodes" ("id", "userCode", "secretSha256", "name", "createdAt", "expiresAt", "network")
        select 'flood' || "i", 'FLOOD-' || "i", 'ab', 'flood', ?, ?, ? from "n"`,
      )
      .run(maxWaiting, Date.now(), Date.now() + 600_000, network);
  } finally {
    database.close();
  }
}

test("ten thousand sign-ins from one address take nobody else's place", async () => {
  const [before, attacker] = ["198.51.100.7", "203.0.113.9"];
  const mine = await startFrom(before);
  fill(attacker);
  for (let i = 0; i < 50; i++) expect((await startFrom(attacker)).status).toBe(200);
  const later = await startFrom("198.51.100.8");
  expect(later.status).toBe(200);
  for (let i = 0; i < 50; i++) await startFrom(attacker);
  const ada = createDrs({ server: server.url, apiKey: await newMember() });
  for (const { userCode } of [mine, later]) {
    expect(await ada.devices.get(userCode)).toMatchObject({ name: "a device" });
    await ada.devices.approve(userCode);
  }
});

test("the codes that devices show cannot be tried out, not even with a right one among them", async () => {
  const { userCode } = await startFrom("198.51.100.7");
  const headers = { "x-api-key": await newMember(), "x-forwarded-for": "198.51.100.20" };
  const statuses: number[] = [];
  for (let i = 0; i < 300; i++) {
    const code = `BCDF-${String(i)
      .replace(/\d/g, (digit) => "GHJKLMNPQR"[Number(digit)] ?? "")
      .padStart(4, "Z")}`;
    const [verb, path] = [["GET", ""] as const, ["POST", "/approve"] as const, ["POST", "/deny"] as const][i % 3] ?? [
      "GET",
      "",
    ];
    const json = verb === "POST" ? {} : undefined;
    statuses.push((await askRest(server.url, verb, `/v1/sessions/devices/${code}${path}`, headers, json)).status);
  }
  expect(statuses.filter((status) => status === 404).length).toBeLessThan(150);
  const right = await askRest(server.url, "GET", `/v1/sessions/devices/${userCode}`, headers);
  expect([right.status, Number(right.headers.get("retry-after"))]).toEqual([
    429,
    expect.toSatisfy((s: number) => s > 0),
  ]);
  const other = { "x-api-key": await newMember(), "x-forwarded-for": "198.51.100.21" };
  expect((await askRest(server.url, "GET", `/v1/sessions/devices/${userCode}`, other)).status).toBe(200);
});

test("many callers at one address try no more codes than one address may", async () => {
  const callers = await Promise.all(Array.from({ length: 12 }, newMember));
  const statuses = new Set<number>();
  for (const key of callers) {
    const headers = { "x-api-key": key, "x-forwarded-for": "198.51.100.30" };
    for (let i = 0; i < 58; i++)
      statuses.add((await askRest(server.url, "GET", "/v1/sessions/devices/BCDF-GHJK", headers)).status);
  }
  expect([...statuses]).toEqual([404, 429]);
});
