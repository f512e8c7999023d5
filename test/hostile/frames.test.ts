import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../service/start.ts";
import { sendBytes } from "./fuzz/raw.ts";
import { envelope } from "./wire/calls.ts";
import { openConnections } from "./wire/http.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

/** Refused by its first frame, which is not protobuf; the server does not read the empty ones behind it. */
const refused = Buffer.concat([envelope(Buffer.from([0xff, 0xff, 0xff])), Buffer.alloc(600_000)]);
const path = "/drs.v1.DatasetService/Extract";
const rounds = 15;

test("a call that is refused by its first frame is answered, and its connection goes on, over HTTP/1.1", async () => {
  const { url, credentials } = server;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (target: string, headers: http.OutgoingHttpHeaders, body?: Buffer): Promise<[number, string]> => {
    const method = body === undefined ? "GET" : "POST";
    const key = { "x-api-key": credentials.apiKey };
    const request = http.request(`${url}${target}`, { agent, method, headers: { ...key, ...headers } });
    const answered = once(request, "response");
    request.end(body);
    const [response] = (await answered) as [http.IncomingMessage];
    return [response.statusCode ?? 0, (await buffer(response)).toString("latin1")];
  };
  for (let round = 0; round < rounds; round++) {
    const [status, text] = await ask(path, { "content-type": "application/grpc-web+proto" }, refused);
    expect([status, text]).toEqual([200, expect.stringMatching(/grpc-status: 3\b/)]);
    expect((await ask("/v1/datasets", {}))[0]).toBe(200);
  }
  agent.destroy();
});

test("and over HTTP/2", async () => {
  const session = http2.connect(server.url);
  for (let round = 0; round < rounds; round++) {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      "x-api-key": server.credentials.apiKey,
    });
    const trailers = once(stream, "trailers");
    stream.resume();
    stream.end(refused);
    expect((await trailers)[0]).toMatchObject({ "grpc-status": "3" });
  }
  session.close();
});

/** V8 quotes what it did not expect: half of the first character. */
const brokenText = envelope(Buffer.from("\u{1f600} is no JSON"));

test.each(
  ["DatasetService/Extract", "SearchService/Search"].flatMap((method) =>
    (["application/grpc+json", "application/grpc-web+json"] as const).flatMap((type) =>
      ([1, 2] as const).map((version) => ({ method, type, version })),
    ),
  ),
)("text that is no JSON is refused in words: $method, $type, HTTP/$version", async ({ method, type, version }) => {
  const connections = openConnections(server.url);
  const headers = { "content-type": type, "x-api-key": server.credentials.apiKey };
  const answer = await connections.send({
    version,
    verb: "POST",
    path: `/drs.v1.${method}`,
    headers,
    body: brokenText,
  });
  connections.close();
  expect(answer.status).toBe(200);
  const inBody = /grpc-status: (\d+)/.exec(answer.body.toString("latin1"))?.[1];
  expect(answer.headers["grpc-status"] ?? answer.trailers["grpc-status"] ?? inBody).toBe("3");
});

test.each([
  ["before its preface is complete", "PRI * HTT"],
  ["after its preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0"],
])("an HTTP/2 connection whose client ends it %s is closed at once", async (_, text) => {
  // Resolves when the server has closed; idle connections stay for two minutes.
  expect(await sendBytes(server.url, Buffer.from(text, "latin1"), 20_000)).not.toContain("HTTP/1.1");
});
