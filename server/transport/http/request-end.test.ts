import http2 from "node:http2";
import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noTracing, type RequestEnd, type TraceHeaders } from "../../domain/ports/tracing.ts";
import { type Fixture, fullKey, startFixture } from "../testing/transport.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

let fixture: Fixture;
let begun: TraceHeaders[];
let ended: RequestEnd[];
beforeEach(async () => {
  begun = [];
  ended = [];
  fixture = await startFixture({
    tracing: {
      ...noTracing,
      request(headers) {
        begun.push(headers);
        return { traceId, run: (work) => work(), end: (end) => void ended.push(end) };
      },
    },
  });
});
afterEach(() => fixture.transport.close(0));

async function end(): Promise<RequestEnd> {
  await expect.poll(() => ended).toHaveLength(1);
  const [only] = ended;
  if (only === undefined) throw new Error("no request has ended");
  return only;
}

const transports = { connect: createConnectTransport, grpc: createGrpcTransport, "grpc-web": createGrpcWebTransport };

test.each(["connect", "grpc", "grpc-web"] as const)("over %s a request is named by its method", async (protocol) => {
  const transport = transports[protocol]({ baseUrl: fixture.url, httpVersion: "2" });
  const headers = { "x-api-key": fullKey, traceparent, tracestate: "vendor=1" };
  const { getJob } = createClient(JobService, transport);
  await expect(getJob({ id: "bug" }, { headers })).rejects.toThrow("request id");
  const { name, attributes, isFault } = await end();
  expect([name, isFault]).toEqual(["drs.v1.JobService/GetJob", true]);
  expect(attributes).toMatchObject({
    "rpc.service": "drs.v1.JobService",
    "rpc.method": "GetJob",
    "http.request.method": "POST",
    "http.response.status_code": protocol === "connect" ? 500 : 200,
    "error.type": "INTERNAL",
    ...(protocol === "connect"
      ? { "rpc.system": "connect_rpc", "rpc.connect_rpc.error_code": "internal" }
      : { "rpc.system": "grpc", "rpc.grpc.status_code": 13 }),
  });
  expect(begun).toEqual([{ traceparent, tracestate: "vendor=1" }]);
  expect(fixture.logged).toContainEqual(expect.objectContaining({ msg: "request", traceId }));
});

test("over REST it is named by its route; a caller's mistake is not an error of the server", async () => {
  const response = await fetch(`${fixture.url}/v1/jobs/no-such-job?heron=1`, { headers: { "x-request-id": "mine" } });
  expect(response.status).toBe(401);
  const { name, attributes, isFault } = await end();
  expect([name, isFault]).toEqual(["GET /v1/jobs/{id}", false]);
  expect(attributes).toMatchObject({
    "http.request.method": "GET",
    "http.route": "/v1/jobs/{id}",
    "http.response.status_code": 401,
    "error.type": "UNAUTHENTICATED",
    "drs.method": "drs.v1.JobService/GetJob",
    "drs.request.id": "mine",
  });
  expect(JSON.stringify(attributes)).not.toMatch(/heron|no-such-job|rpc/);
  expect(begun).toEqual([{}]);
});

test("neither an unknown path nor a made-up verb gets into names and attributes", async () => {
  const session = http2.connect(fixture.url);
  try {
    const stream = session.request({ ":method": "HERON", ":path": "/heron/heron" });
    stream.resume().end();
    await once(stream, "close");
  } finally {
    session.close();
  }
  const { name, attributes } = await end();
  expect(name).toBe("_OTHER");
  expect(JSON.stringify(attributes)).not.toMatch(/heron/i);
});

test("probes have no span", async () => {
  await fetch(`${fixture.url}/healthz`, { headers: { traceparent } });
  expect(begun).toEqual([]);
});
