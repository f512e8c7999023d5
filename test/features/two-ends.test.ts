import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthenticate } from "../../server/domain/authenticate.ts";
import type { Domain } from "../../server/domain/domain.ts";
import { noTracing } from "../../server/domain/ports/tracing.ts";
import { endUpload } from "../../server/domain/uploads/end.ts";
import { createUploadTurns } from "../../server/domain/uploads/turns.ts";
import { documentFormats } from "../../server/formats/identify.ts";
import { closeStores, openStores, type Stores } from "../../server/stores.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const rounds = 8;
let server: TestServer;
let stores: Stores;
beforeAll(async () => {
  server = await startServer();
  const { dataDir } = server;
  stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
});
afterAll(async () => {
  await closeStores(stores);
  await server.remove();
});

test("a session that is ended in several processes at once becomes one dataset, and all are answered with its job", async () => {
  const { apiKey } = server.credentials;
  const drs = createDrs({ server: server.url, apiKey });
  const unused = { record: () => undefined, flush: async () => undefined };
  const caller = await createAuthenticate(
    stores.metadata,
    { keys: unused, members: unused, sessions: unused },
    Date.now,
  )(apiKey, undefined);
  /** The work of another API process. */
  const endElsewhere = (key: string) =>
    endUpload(
      {
        ...stores,
        formats: documentFormats,
        worker: { wake: () => undefined },
        uploadTurns: createUploadTurns(),
        tracing: noTracing,
      } as unknown as Domain,
      { caller, input: { key, parts: [], checksum: "" }, signal: new AbortController().signal },
    );
  for (let round = 1; round <= rounds; round++) {
    const bytes = makePdf({ pages: [{ text: `round ${round}` }] });
    const key = await startSession(apiKey, bytes);
    const ended = await Promise.all([
      call(apiKey, "end", { key }).then(({ data }) => data.id),
      ...[1, 2].map(() => endElsewhere(key).then(({ id }) => id)),
    ]);
    expect(new Set(ended).size).toBe(1);
    expect((await drs.datasets.page({ limit: 1 })).total).toBe(round);
    expect((await drs.jobs.wait(ended[0] ?? "")).status).toBe("SUCCESS");
  }
});

async function call(apiKey: string, verb: string, body: object): Promise<{ data: { id: string; key: string } }> {
  const response = await fetch(`${server.url}/v1/upload-session/${verb}`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([response.status < 300 ? response.status : 200, text]);
  return JSON.parse(text) as { data: { id: string; key: string } };
}

async function startSession(apiKey: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { data } = await call(apiKey, "start", {
    fileName: "a.pdf",
    fileExt: "pdf",
    fileType: "application/pdf",
    jobType: "extract",
  });
  const form = new FormData();
  form.set("key", data.key);
  form.set("partNumber", "1");
  form.set("file", new Blob([bytes]), "part");
  const response = await fetch(`${server.url}/v1/upload-session/append`, {
    method: "POST",
    headers: { "x-api-key": apiKey },
    body: form,
  });
  expect(response.status).toBe(200);
  return data.key;
}
