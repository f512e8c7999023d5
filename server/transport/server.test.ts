import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { LinkService } from "@drs/client/gen/drs/v1/links_pb";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { ErrorInfoSchema } from "@drs/client/gen/google/rpc/error_details_pb";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@drs/client/gen/grpc/health/v1/health_pb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreError } from "../domain/storage-fault.ts";
import { type Fixture, fullKey, operatorKey, readKey, startFixture } from "./testing/transport.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.transport.close(0));

const withKey =
  (key: string): Interceptor =>
  (next) =>
  (req) => {
    req.header.set("x-api-key", key);
    return next(req);
  };

const protocols = {
  "connect over HTTP/1.1": (baseUrl: string, key: string) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors: [withKey(key)] }),
  "connect over HTTP/2": (baseUrl: string, key: string) =>
    createConnectTransport({ baseUrl, httpVersion: "2", interceptors: [withKey(key)] }),
  grpc: (baseUrl: string, key: string) => createGrpcTransport({ baseUrl, interceptors: [withKey(key)] }),
  "grpc-web": (baseUrl: string, key: string) =>
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors: [withKey(key)] }),
};

async function failure(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call;
  } catch (cause) {
    return ConnectError.from(cause);
  }
  throw new Error("the call succeeded");
}

async function* upload(...sizes: number[]) {
  yield { fileName: "a.pdf" };
  for (const size of sizes) yield { file: new Uint8Array(size) };
}

test.each(["identity", "gzip", "br"])("tells of a bug and of an unreadable message in %s", async (encoding) => {
  const call = (type: string, body: string | Buffer<ArrayBuffer>): Promise<Response> =>
    fetch(`${fixture.url}/drs.v1.JobService/GetJob`, {
      method: "POST",
      headers: { "x-api-key": fullKey, "content-type": type, "accept-encoding": encoding },
      body,
    });
  const bug = await call("application/json", '{"id":"bug"}');
  expect([bug.status, await bug.json()]).toMatchObject([500, { code: "internal", message: /request id/ }]);
  const unreadable = await call("application/proto", Buffer.from([0xff, 0xff]));
  expect([unreadable.status, await unreadable.json()]).toMatchObject([400, { code: "invalid_argument" }]);
});

test.each(["GET", "HEAD", "PUT"])("%s is no call of an unknown method, whatever its type says", async (method) => {
  const response = await fetch(`${fixture.url}/drs.v1.None/Call`, {
    method,
    headers: { "content-type": "application/grpc" },
  });
  expect(response.status).toBe(404);
});

describe.each(Object.entries(protocols))("%s", (_name, connect) => {
  test("calls methods of every kind with the caller of the key", async () => {
    const jobs = createClient(JobService, connect(fixture.url, fullKey));
    expect((await jobs.getJob({ id: "dsj_1" })).job).toMatchObject({ id: "dsj_1", datasetId: /^ws_/ });
    const revisions: string[] = [];
    for await (const { revision } of jobs.watchJob({ id: "dsj_1", afterRevision: "4" })) revisions.push(revision);
    expect(revisions).toEqual(["5", "6", "7"]);
    const datasets = createClient(DatasetService, connect(fixture.url, fullKey));
    await datasets.extract(upload(100_000, 200_000));
    expect(fixture.seen.uploads).toMatchObject([{ fileName: "a.pdf", size: 300_000 }]);
  });

  test("answers errors with code, message and kind", async () => {
    const jobs = createClient(JobService, connect(fixture.url, fullKey));
    const codes = {
      missing: [Code.NotFound, "not_found", "there is no job missing"],
      conflict: [Code.AlreadyExists, "conflict", "the job is already done"],
      unsupported: [Code.InvalidArgument, "unsupported", "that is no document"],
      unprocessable: [Code.FailedPrecondition, "unprocessable", "the page does not render"],
    };
    for (const [id, expected] of Object.entries(codes)) {
      const error = await failure(jobs.getJob({ id }));
      expect([error.code, error.metadata.get("drs-error-kind"), error.rawMessage]).toEqual(expected);
      const kind = String(expected[1]).toUpperCase();
      expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: kind, domain: "drs" }]);
    }
    const tooLarge = await failure(
      createClient(DatasetService, connect(fixture.url, fullKey)).extract(upload(2 ** 23, 1)),
    );
    expect(tooLarge.code).toBe(Code.ResourceExhausted);
  });

  test("says nothing about a bug but the request id, and logs it with its stack", async () => {
    const error = await failure(createClient(JobService, connect(fixture.url, fullKey)).getJob({ id: "bug" }));
    expect(error.code).toBe(Code.Internal);
    expect(error.message).not.toContain("secret detail");
    const line = fixture.logged.find(({ level, err }) => level === 50 && err !== undefined);
    expect(line?.["err"]).toMatchObject({ type: "TypeError", stack: /secret detail/ });
    expect(error.message).toContain(line?.["requestId"]);
  });

  test("passes on an error that was made for the wire, but none that was only wrapped for it", async () => {
    const jobs = createClient(JobService, connect(fixture.url, fullKey));
    const lost = await failure(jobs.getJob({ id: "lost" }));
    expect([lost.code, lost.rawMessage]).toEqual([Code.DataLoss, "two pages are lost"]);
    const wrapped = await failure(jobs.getJob({ id: "wrapped" }));
    expect([wrapped.code, wrapped.rawMessage]).toEqual([Code.Internal, expect.stringContaining("request id")]);
  });

  test("answers a call of an unknown method in its protocol", async () => {
    const error = await failure(createClient(LinkService, connect(fixture.url, fullKey)).rotateLinks({}));
    expect([error.code, error.rawMessage]).toEqual([Code.Unimplemented, expect.stringMatching(/there is no method/)]);
  });

  test("refuses keys that are missing or lack the scope, before it reads a message", async () => {
    const unknown = createClient(DatasetService, connect(fixture.url, "no such key"));
    expect((await failure(unknown.extract(upload(10)))).code).toBe(Code.Unauthenticated);
    const reader = createClient(DatasetService, connect(fixture.url, readKey));
    expect((await failure(reader.extract(upload(10)))).code).toBe(Code.PermissionDenied);
    expect(fixture.seen.messages).toBe(0);
  });

  test("checks every message against the rules of the contract", async () => {
    const search = createClient(SearchService, connect(fixture.url, fullKey));
    const unary = await failure(search.search({ query: { text: "x" }, limit: 101, datasetIds: ["ds_1", ""] }));
    expect(unary.code).toBe(Code.InvalidArgument);
    expect(unary.rawMessage).toMatch(/datasetIds\[1\]: .*; limit: /);
    const datasets = createClient(DatasetService, connect(fixture.url, fullKey));
    const late = (async function* () {
      yield { fileName: "a.pdf" };
      yield { expiresInDays: -5 };
    })();
    expect((await failure(datasets.extract(late))).rawMessage).toBe(
      "expiresInDays must be -1 or greater than 0 and at most 36500",
    );
  });

  test("uses the caller's request id, or creates one if it is unusable", async () => {
    const jobs = createClient(JobService, connect(fixture.url, fullKey));
    const ids: (string | null)[] = [];
    const onHeader = (header: Headers) => ids.push(header.get("x-request-id"));
    await jobs.getJob({ id: "a" }, { headers: { "x-request-id": "mine-1" }, onHeader });
    await jobs.getJob({ id: "a" }, { headers: { "x-request-id": "not {usable}" }, onHeader });
    expect(ids).toEqual(["mine-1", expect.stringMatching(/^req_/)]);
  });

  test("a client that goes away stops its call", async () => {
    const stop = new AbortController();
    const jobs = createClient(JobService, connect(fixture.url, fullKey));
    const watch = (async () => {
      for await (const { revision } of jobs.watchJob({ id: "endless" }, { signal: stop.signal })) {
        if (revision === "3") stop.abort();
      }
    })();
    expect((await failure(watch)).code).toBe(Code.Canceled);
    await expect.poll(() => fixture.seen.watching).toBe(0);
  });
});

test("one log line per request, without the key", async () => {
  const jobs = createClient(JobService, protocols.grpc(fixture.url, fullKey));
  await jobs.getJob({ id: "dsj_1" });
  await failure(jobs.getJob({ id: "missing" }));
  await fetch(`${fixture.url}/v1/share/x?token=tok-en`);
  const lines = () => fixture.logged.filter(({ msg }) => msg === "request");
  await expect.poll(lines).toHaveLength(3);
  expect(lines()).toMatchObject([
    {
      protocol: "grpc",
      method: "drs.v1.JobService/GetJob",
      code: "OK",
      status: 200,
      workspaceId: /^ws_/,
      requestId: /^req_/,
    },
    { protocol: "grpc", method: "drs.v1.JobService/GetJob", code: "NOT_FOUND" },
    { protocol: "rest", method: "drs.v1.ShareService/ReadShare", code: "PERMISSION_DENIED", status: 403 },
  ]);
  expect(JSON.stringify(fixture.logged)).not.toMatch(/full-key|tok-en/);
});

test("a method that does not say who may call it keeps the server from starting", async () => {
  await expect(startFixture({ services: [Health] })).rejects.toThrow(
    "grpc.health.v1.Health/Check does not say who may call it",
  );
});

test("health follows readiness", async () => {
  let ready = true;
  const other = await startFixture({ readiness: async () => ({ ready, checks: { metadata: ready ? "ok" : "gone" } }) });
  const health = createClient(Health, createGrpcTransport({ baseUrl: other.url }));
  expect((await health.check({})).status).toBe(Status.SERVING);
  expect((await health.check({ service: "drs.v1.JobService" })).status).toBe(Status.SERVING);
  expect((await failure(health.check({ service: "drs.v1.None" }))).code).toBe(Code.NotFound);
  const seen: Status[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { status } of health.watch({}, { signal: stop.signal })) {
      seen.push(status);
      ready = false;
      if (seen.length === 2) stop.abort();
    }
  })();
  await failure(watching);
  expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
  const readyz = async (headers: Record<string, string>) => {
    const response = await fetch(`${other.url}/readyz`, { headers });
    return [response.status, await response.json()];
  };
  // Only operators learn why.
  for (const key of [{}, { "x-api-key": "wrong" }, { "x-api-key": fullKey }, { "x-api-key": readKey }]) {
    expect(await readyz(key)).toEqual([503, { ready: false }]);
  }
  const reasons = [503, { ready: false, checks: { metadata: "gone" } }];
  expect(await readyz({ "x-api-key": operatorKey })).toEqual(reasons);
  expect(await readyz({ authorization: `Bearer ${operatorKey}` })).toEqual(reasons);
  expect((await fetch(`${other.url}/healthz`)).status).toBe(200);
  await other.transport.close(0);
});

test.each([
  ["fails", () => Promise.reject(new StoreError("unreachable", "the metadata database at /secret does not answer"))],
  ["hangs", () => new Promise<never>(() => undefined)],
])(
  "a key that cannot be looked up, because the store %s, is told which checks fail, and no reasons",
  async (_, authenticate) => {
    let ready = false;
    const readiness = async () => ({ ready, checks: { metadata: ready ? "ok" : "gone from /secret", blobs: "ok" } });
    const other = await startFixture({ authenticate, readiness, operatorState: async () => ({ secret: true }) });
    const ask = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(other.url + path, { headers });
      return [response.status, await response.json()];
    };
    const key = { "x-api-key": operatorKey };
    const named = { ready: false, checks: { metadata: "not ready; the log says why" } };
    expect(await ask("/readyz", key)).toEqual([503, named]);
    expect(await ask("/readyz", {})).toEqual([503, { ready: false }]);
    expect(await ask("/operator/state", key)).toMatchObject([503, {}]);
    ready = true;
    expect(await ask("/readyz", key)).toEqual([200, { ready: true }]);
    await other.transport.close(0);
  },
);

test("metrics count by method and code", async () => {
  const jobs = createClient(JobService, protocols.grpc(fixture.url, fullKey));
  await jobs.getJob({ id: "dsj_1" });
  await failure(jobs.getJob({ id: "missing" }));
  await fetch(`${fixture.url}/some/unknown/path`);
  const text = async () => (await fetch(`${fixture.url}/metrics`)).text();
  await expect
    .poll(text)
    .toContain('drs_requests_total{method="drs.v1.JobService/GetJob",protocol="grpc",code="NOT_FOUND"} 1');
  expect(await text()).toContain('drs_requests_total{method="drs.v1.JobService/GetJob",protocol="grpc",code="OK"} 1');
  expect(await text()).toContain("process_resident_memory_bytes");
  expect(await text()).not.toContain("unknown/path");
});

test("the reference page and the OpenAPI document come without any other server", async () => {
  const page = await fetch(`${fixture.url}/docs`);
  const html = await page.text();
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
  expect(html).not.toMatch(/https?:/);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
  expect(links).toHaveLength(3);
  for (const link of links) expect((await fetch(`${fixture.url}${link}`)).status).toBe(200);
  const openapi: unknown = await (await fetch(`${fixture.url}/v1/openapi.json`)).json();
  expect(openapi).toMatchObject({ openapi: "3.1.0", servers: [{ url: fixture.url }], paths: { "/v1/search": {} } });
  expect((await fetch(`${fixture.url}/`, { redirect: "manual" })).headers.get("location")).toBe("/docs");
});

test("pages of other sites may call the API, not the service's own pages", async () => {
  const preflight = await fetch(`${fixture.url}/v1/search`, {
    method: "OPTIONS",
    headers: { origin: "https://example.org", "access-control-request-method": "POST" },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-api-key");
  expect(preflight.headers.get("access-control-allow-methods")).toContain("DELETE");
  const metrics = await fetch(`${fixture.url}/metrics`, { headers: { origin: "https://example.org" } });
  expect(metrics.headers.get("access-control-allow-origin")).toBeNull();
});

test("every answer has the security headers and a request id", async () => {
  for (const path of [
    "/",
    "/healthz",
    "/docs",
    "/v1/jobs",
    "/v1/none",
    "/none",
    "/v1/share/x",
    "/drs.v1.JobService/GetJob",
  ]) {
    const { headers } = await fetch(`${fixture.url}${path}`, { redirect: "manual" });
    expect({ path, ...Object.fromEntries(headers) }).toMatchObject({
      path,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "x-request-id": expect.stringMatching(/^req_/),
    });
  }
});

describe("closing", () => {
  test("ends streams that follow something with a retryable code, and lets calls finish", async () => {
    const jobs = createClient(JobService, protocols.grpc(fixture.url, fullKey));
    const started = Promise.withResolvers<void>();
    const watch = (async () => {
      for await (const { revision } of jobs.watchJob({ id: "endless" })) if (revision === "3") started.resolve();
    })();
    const [slowGrpc, slowConnect] = [protocols.grpc, protocols["connect over HTTP/1.1"]].map((connect) =>
      createClient(JobService, connect(fixture.url, fullKey)).getJob({ id: "slow" }),
    );
    await started.promise;
    await expect.poll(() => fixture.seen.slow).toBe(2);
    await Promise.all([
      fixture.transport.close(10_000),
      expect(failure(watch)).resolves.toMatchObject({ code: Code.Unavailable }),
      expect(slowGrpc).resolves.toMatchObject({ job: { id: "slow" } }),
      expect(slowConnect).resolves.toMatchObject({ job: { id: "slow" } }),
    ]);
    expect(fixture.seen.watching).toBe(0);
    await expect(fetch(`${fixture.url}/healthz`)).rejects.toThrow("fetch failed");
  });

  test("aborts an upload that continues after the grace period", async () => {
    const datasets = createClient(DatasetService, protocols.grpc(fixture.url, fullKey));
    const endless = (async function* () {
      yield { fileName: "a.pdf" };
      for (;;) {
        yield { file: new Uint8Array(1) };
        await sleep(10);
      }
    })();
    const call = failure(datasets.extract(endless));
    await expect.poll(() => fixture.seen.messages).toBeGreaterThan(2);
    await fixture.transport.close(100);
    await call;
    expect(fixture.seen.broken).toHaveLength(1);
  });

  test("refuses new requests on connections that are still open", async () => {
    const { hostname, port } = new URL(fixture.url);
    const socket = net.connect(Number(port), hostname);
    const get = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${fullKey}\r\n\r\n`);
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    get("/v1/jobs/slow");
    await expect.poll(() => fixture.seen.slow).toBe(1);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const closing = fixture.transport.close(10_000);
    get("/v1/jobs/dsj_1");
    await Promise.all([closing, closed]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toMatch(/HTTP\/1\.1 503 Service Unavailable[^]*retry-after: \d+[^]*"code":"UNAVAILABLE"/i);
  });
});
