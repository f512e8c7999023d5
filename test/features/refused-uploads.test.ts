import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createDrs, type Drs } from "@drs/client";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { type Asked, clientPrograms, isInstalled, runClient } from "./refusals/clients.ts";

/** As large as a request with a document in it usually gets. */
const size = 90 * 2 ** 20;

interface UserError {
  readonly status: number;
  readonly sentence: RegExp;
  readonly asked: Omit<Asked, "sending" | "size">;
}

let server: TestServer;
let operator: Drs;
let refused: readonly UserError[];

beforeAll(async () => {
  server = await startServer();
  const { apiKey } = server.credentials;
  operator = createDrs({ server: server.url, apiKey });
  await operator.plans.set("small", { maxUploadBytes: 10 * 2 ** 20 });
  await operator.plans.set("slow", { requestsPerMinute: 1 });
  const small = await operator.organisations.create({ name: "Small", plan: "small" });
  const [aborted, ended] = [await startSession(apiKey), await startSession(apiKey)];
  await post("abort", apiKey, { key: aborted });
  await post("append", apiKey, { key: ended, partNumber: "1" }, makePdf({ pages: [{ text: "whole" }] }));
  await post("end", apiKey, { key: ended });

  const extract = `${server.url}/v1/extract`;
  const append = `${server.url}/v1/upload-session/append`;
  const days = { expiresInDays: "1" };
  refused = [
    { status: 401, sentence: /API key/, asked: { url: extract, apiKey: "drs_wrong", fields: days } },
    {
      status: 404,
      sentence: /upload session/,
      asked: { url: append, apiKey, fields: { key: aborted, partNumber: "2" } },
    },
    {
      status: 409,
      sentence: /upload session/,
      asked: { url: append, apiKey, fields: { key: ended, partNumber: "2" } },
    },
    { status: 413, sentence: /larger than 10 MB/, asked: { url: extract, apiKey: small.apiKey, fields: days } },
  ];
});
afterAll(() => server.remove());

/** A refusal for a new organisation that has just made its one request of the minute. */
async function overRate(): Promise<UserError> {
  const { apiKey } = await operator.organisations.create({ name: "Slow", plan: "slow" });
  await fetch(`${server.url}/v1/datasets`, { headers: { "x-api-key": apiKey } });
  const asked = { url: `${server.url}/v1/extract`, apiKey, fields: { expiresInDays: "1" } };
  return { status: 429, sentence: /1 requests a minute/, asked };
}

async function post(step: string, apiKey: string, fields: Record<string, string>, file?: Buffer<ArrayBuffer>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== undefined) form.set("file", new Blob([file]), "a.pdf");
  const headers = { "x-api-key": apiKey };
  const response = await fetch(`${server.url}/v1/upload-session/${step}`, { method: "POST", headers, body: form });
  const answer: unknown = await response.json();
  expect(answer).toMatchObject({ success: true });
  return answer;
}

async function startSession(apiKey: string): Promise<string> {
  const fields = { fileName: "a.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
  const match = /"key":"(tmp_\w+)"/.exec(JSON.stringify(await post("start", apiKey, fields)));
  return match?.[1] ?? "";
}

describe("a refusal of 90 MB reaches", () => {
  for (const program of clientPrograms) {
    const isHere = isInstalled(program);
    const why = isHere ? "" : ` (skipped: ${program.probe.join(" ")} does not work here)`;
    test.skipIf(!isHere)(`${program.name}${why}`, { timeout: 120_000 }, async () => {
      // First those who may ask again soon.
      const all = [await overRate(), ...refused];
      const cases = all.flatMap((each) => program.sendings.map((sending) => ({ ...each, sending })));
      const printed = await runClient(
        program,
        cases.map(({ asked, sending }) => ({ ...asked, sending, size })),
      );
      const seen = cases.map(({ sending, status, sentence }, index) => {
        const line = printed[index] ?? "nothing";
        if (line.startsWith("unsupported")) console.log(`${program.name}: skipped ${sending} ${status}, ${line}`);
        const isRight = line.startsWith(`${status} {`) && sentence.test(line) && line.includes('"success":false');
        return `${sending} ${isRight || line.startsWith("unsupported") ? status : `${status}: ${line}`}`;
      });
      expect(seen).toEqual(cases.map(({ sending, status }) => `${sending} ${status}`));
    });
  }
});

const rpcs = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "Connect over HTTP/1.1": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect over HTTP/2": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" }),
};

test.each(Object.entries(rpcs))("a refusal of 90 MB reaches a client that speaks %s", async (_name, transport) => {
  const client = createClient(DatasetService, transport(server.url));
  const call = client.extract(pieces(), { headers: { "x-api-key": "drs_wrong" } });
  await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated, message: expect.stringMatching(/API key/) });
});

async function* pieces() {
  const file = new Uint8Array(2 ** 20);
  for (let sent = 0; sent < size; sent += file.length) yield { file };
}
