import { once } from "node:events";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { afterEach, describe, expect, test } from "vitest";
import { newKeyId, newOrganisationId, newWorkspaceId, type OrganisationId } from "../../domain/ids.ts";
import { createTokenBuckets } from "../../domain/rates/token-buckets.ts";
import { type Admission, createAdmission, defaultConcurrency } from "./admission.ts";
import { type Fixture, fullKey, startFixture } from "../testing/transport.ts";
import { createRates } from "./rates.ts";
import { noLimits } from "../../domain/plans/plan.ts";

let fixture: Fixture;
afterEach(() => fixture.transport.close(0));

/** Rates with a clock that stands still, so that nothing is refilled while the test runs. */
const ratesOf = (requestsPerMinute: number | null) =>
  createRates(
    { calls: createTokenBuckets(() => 0), failures: createTokenBuckets(() => 0) },
    async () => ({ ...noLimits, requestsPerMinute }),
    { record: () => undefined },
  );

const key = { "x-api-key": fullKey };
const overConnect = (id: string, headers: Record<string, string> = key): Promise<Response> =>
  fetch(`${fixture.url}/drs.v1.JobService/GetJob`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ id }),
  });

describe("rates", () => {
  test("a caller learns the state of the rate, and is refused beyond it, over REST and Connect alike", async () => {
    fixture = await startFixture({ rates: ratesOf(2) });
    const first = await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: key });
    expect(first.status).toBe(200);
    const standing = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    expect(standing.map((name) => first.headers.get(name))).toEqual(["2", "1", "30"]);
    const second = await overConnect("missing");
    expect([second.status, second.headers.get("ratelimit-remaining")]).toEqual([404, "0"]);
    const third = await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: key });
    expect(third.status).toBe(429);
    expect([...standing, "retry-after"].map((name) => third.headers.get(name))).toEqual(["2", "0", "60", "30"]);
    expect(await third.json()).toEqual({
      success: false,
      error: expect.stringMatching(/2 requests a minute.*try again in 30 seconds/),
      code: "RESOURCE_EXHAUSTED",
      reason: "RATE_LIMITED",
      next: expect.stringContaining("wait a moment"),
    });
    const fourth = await overConnect("dsj_1");
    expect([fourth.status, fourth.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(await fourth.json()).toMatchObject({ code: "resource_exhausted" });
    expect((await fetch(`${fixture.url}/healthz`)).status).toBe(200);
  });

  test("the workspaces of an organisation share the plan's rate, and its keys have theirs", async () => {
    const rates = ratesOf(4);
    const [organisationId, another] = [newOrganisationId(), newOrganisationId()];
    const by = (id: OrganisationId, count?: number): Promise<unknown> => {
      const actor = { kind: "key", keyId: newKeyId(), requestsPerMinute: null } as const;
      const caller = {
        organisationId: id,
        workspaceId: newWorkspaceId(),
        actor,
        scopes: new Set<never>(),
        isOperator: false,
      };
      return rates.countCall(caller, { responseHeader: new Headers() }, count).catch((cause: unknown) => String(cause));
    };
    for (let call = 0; call < 4; call++) expect(await by(organisationId)).toBeUndefined();
    expect(await by(organisationId)).toMatch(/more than the 4 requests a minute/);
    expect(await by(another, 3)).toBeUndefined();
    expect(await by(another, 2)).toMatch(/more than the 4 requests a minute/);
    expect(await by(another, 1)).toBeUndefined();
    expect(await by(another, 5)).toMatch(/split it/);
  });

  test("a caller without a limit gets no headers about one", async () => {
    fixture = await startFixture({ rates: ratesOf(null) });
    const response = await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: key });
    expect(response.headers.has("ratelimit-limit")).toBe(false);
  });

  test("wrong keys and tokens are counted by address; a valid key is still accepted", async () => {
    fixture = await startFixture({ rates: ratesOf(null) });
    const statuses: number[] = [];
    for (let times = 0; times < 301; times++) {
      statuses.push((await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: { "x-api-key": "guess" } })).status);
      statuses.push((await fetch(`${fixture.url}/v1/share/page?token=guess`)).status);
    }
    const attempts = Array.from({ length: 300 }, () => [401, 403]).flat();
    expect(statuses).toEqual([...attempts, 429, 429]);
    expect((await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: key })).status).toBe(200);
    expect((await fetch(`${fixture.url}/v1/share/page?token=good`)).status).toBe(200);
  });
});

describe("behind a proxy", () => {
  const guess = async (forwarded: string): Promise<number> => {
    const headers = { "x-api-key": "guess", "x-forwarded-for": forwarded };
    return (await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers })).status;
  };

  test("that is trusted wrong keys are counted by client", async () => {
    fixture = await startFixture({ rates: ratesOf(null), trustedProxies: ["127.0.0.1"] });
    for (let times = 0; times < 600; times++) await guess("198.51.100.1");
    expect(await guess("198.51.100.1")).toBe(429);
    expect(await guess("203.0.113.9, 198.51.100.1")).toBe(429);
    expect(await guess("198.51.100.2")).toBe(401);
  });

  test("that is not, what a client says of its address does not count", async () => {
    fixture = await startFixture({ rates: ratesOf(null) });
    for (let times = 0; times < 600; times++) await guess(`198.51.100.${times % 250}`);
    expect(await guess("203.0.113.9")).toBe(429);
  });
});

describe("failed attempts", () => {
  const post = (path: string, body: object): Promise<Response> => {
    const headers = { "content-type": "application/json" };
    return fetch(`${fixture.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const accept = (token: string): Promise<Response> => post("/v1/invitations/accept", { token });

  test("of invitations are counted by address, over REST and Connect alike; a valid one is still accepted", async () => {
    fixture = await startFixture({ rates: ratesOf(null) });
    const statuses: number[] = [];
    for (let times = 0; times < 301; times++) {
      statuses.push((await accept("guess")).status);
      statuses.push((await post("/drs.v1.MemberService/AcceptInvitation", { token: "guess" })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 600 }, () => 403), 429, 429]);
    expect((await accept("guess")).headers.get("retry-after")).toBe("1");
    expect((await accept("good")).status).toBe(200);
    expect((await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: { "x-api-key": "guess" } })).status).toBe(429);
  });

  test("of links are also counted for links that are read by RPC", async () => {
    fixture = await startFixture({ rates: ratesOf(null) });
    for (let times = 0; times < 600; times++) await accept("guess");
    const client = createClient(ShareService, createConnectTransport({ baseUrl: fixture.url, httpVersion: "1.1" }));
    const reading = Array.fromAsync(client.readShare({ id: "page", token: "bad" }));
    await expect(reading).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });
});

describe("concurrency", () => {
  test("beyond it requests are refused for a moment, by kind, and health checks are answered", async () => {
    fixture = await startFixture({ concurrency: { ...defaultConcurrency, upload: 1 } });
    const port = Number(new URL(fixture.url).port);
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    const head = `POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${fullKey}\r\nContent-Length: 9000\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n`);
    await once(socket, "connect");
    const upload = async (): Promise<Response> => {
      const body = new FormData();
      body.set("file", new Blob(["x"]), "a.pdf");
      return fetch(`${fixture.url}/v1/extract`, { method: "POST", headers: key, body });
    };
    await expect.poll(async () => (await upload()).status).toBe(503);
    const refused = await upload();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await refused.json()).toMatchObject({ code: "UNAVAILABLE", error: expect.stringMatching(/try again soon/) });
    expect((await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: key })).status).toBe(200);
    expect((await fetch(`${fixture.url}/healthz`)).status).toBe(200);
    socket.destroy();
    await expect.poll(async () => (await upload()).status).toBe(200);
  });

  test("is given back by every call, however it ends", async () => {
    fixture = await startFixture({ concurrency: { upload: 1, search: 1, follow: 1, share: 1, service: 1, other: 1 } });
    const ends = [
      ["/v1/jobs/dsj_1", 200],
      ["/v1/jobs/missing", 404],
      ["/v1/jobs/bug", 500],
      ["/v1/jobs/dsj_1/watch", 200],
      ["/v1/jobs/missing/watch", 404],
      ["/v1/share/page?token=good", 200],
      ["/v1/share/page?token=bad", 403],
    ] as const;
    for (const [path, status] of [...ends, ...ends]) {
      const response = await fetch(`${fixture.url}${path}`, { headers: key });
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, status]);
      // The client may have the end of an answer before the server knows.
      await sleep(20);
    }
    for (const id of ["dsj_1", "missing", "bug", "dsj_1"]) expect((await overConnect(id)).status).not.toBe(503);
  });

  test("refuses requests that may grow while memory is short, and accepts them again later", async () => {
    let live = 2 ** 40;
    const short = createAdmission({ liveBytes: () => live });
    expect(() => short.enter("upload", {})).toThrow(/short of memory/);
    short.enter("follow", {}).leave();
    live = 0;
    await expect.poll(() => enters(short)).toBe(true);
  });
});

function enters(admission: Admission): boolean {
  try {
    admission.enter("upload", {});
    return true;
  } catch {
    return false;
  }
}

describe("caps", () => {
  test("a compressed message that grows beyond all bounds is refused before it does", async () => {
    fixture = await startFixture();
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, " "));
    const response = await fetch(`${fixture.url}/drs.v1.JobService/GetJob`, {
      method: "POST",
      headers: { ...key, "content-type": "application/json", "content-encoding": "gzip" },
      body: new Uint8Array(bomb),
    });
    expect([response.status, await response.json()]).toMatchObject([429, { code: "resource_exhausted" }]);
  });
});
