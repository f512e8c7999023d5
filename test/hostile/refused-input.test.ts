import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../service/start.ts";
import { codeOf, envelope, type Protocol, wordsOf } from "./wire/calls.ts";
import { type Connections, type HttpAnswer, openConnections } from "./wire/http.ts";

let server: TestServer;
let connections: Connections;
beforeAll(async () => {
  server = await startServer();
  connections = openConnections(server.url);
});
afterAll(async () => {
  connections.close();
  await server.remove();
});

function post(path: string, type: string, body: Uint8Array, version: 1 | 2 = 1): Promise<HttpAnswer> {
  const headers: Record<string, string> = { "content-type": type, "x-api-key": server.credentials.apiKey };
  if (version === 2) headers["te"] = "trailers";
  else headers["content-length"] = String(body.length);
  return connections.send({ version, verb: "POST", path, headers, body });
}

function postJson(path: string, text: string): Promise<HttpAnswer> {
  return post(path, "application/json", Buffer.from(text));
}

/** Sends the bytes of one message as they are. */
function call(protocol: Exclude<Protocol, "REST">, method: string, bytes: Uint8Array): Promise<HttpAnswer> {
  const path = `/drs.v1.${method}`;
  const isStream = method.endsWith("/Extract");
  switch (protocol) {
    case "Connect":
      return isStream
        ? post(path, "application/connect+proto", envelope(bytes))
        : post(path, "application/proto", bytes);
    case "gRPC":
      return post(path, "application/grpc", envelope(bytes), 2);
    case "gRPC-Web":
      return post(path, "application/grpc-web+proto", envelope(bytes));
  }
}

/** A field that no message has, of the wire type for groups: each begins one in another. */
const nestedGroups = Buffer.alloc(3_000_000, Buffer.from([0xfb, 0x7f]));

describe.each(["Connect", "gRPC", "gRPC-Web"] as const)("over %s", (protocol) => {
  test.each(["SearchService/Search", "DatasetService/Extract"])("%s refuses what is no message", async (method) => {
    for (const bytes of [nestedGroups, Buffer.from([0xff, 0xff, 0xff])]) {
      const answer = await call(protocol, method, bytes);
      expect([codeOf(protocol, answer), wordsOf(answer)]).toEqual([
        "INVALID_ARGUMENT",
        expect.not.stringContaining("went wrong inside"),
      ]);
    }
  });
});

test.each(["{", "["])("JSON that is nested a hundred thousand deep with %s is refused", async (bracket) => {
  const open = bracket === "[" ? "[" : '{"query":';
  const close = bracket === "[" ? "]" : "}";
  const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
  for (const text of [deep, `{"query":${deep}}`]) {
    const answer = await postJson("/v1/search", text);
    expect([answer.status, answer.body.toString()]).toEqual([400, expect.stringContaining("INVALID_ARGUMENT")]);
    const rpc = await postJson("/drs.v1.SearchService/Search", text);
    expect(codeOf("Connect", rpc)).toBe("INVALID_ARGUMENT");
  }
});

test.each([
  ["millions of parameters", `data:image/png${";a=b".repeat(7_000_000)};base64,AAAA`],
  ["millions of parameters without a value", `data:image/png${";a".repeat(10_000_000)}`],
  ["no comma", `data:image/png;base64${"A".repeat(20_000_000)}`],
  ["data that is not base64", `data:image/png;base64,${"A".repeat(20_000_000)}!`],
])("a data URL with %s is refused", async (_, url) => {
  const answer = await postJson("/v1/search", JSON.stringify({ query: { image_url: url } }));
  expect([answer.status, answer.body.toString()]).toEqual([400, expect.stringContaining("data:<mime>;base64,<data>")]);
});

test.each(["constructor", "__proto__", "toString"])("the extension %s is none of a document", async (fileExt) => {
  const form = { fileName: "report", fileExt, fileType: "application/pdf", jobType: "extract" };
  const answer = await postJson("/v1/upload-session/start", JSON.stringify(form));
  expect([answer.status, answer.body.toString()]).toEqual([
    415,
    expect.stringContaining("is not the extension of a document"),
  ]);
});
