import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthenticate } from "../../server/domain/authenticate.ts";
import type { Domain } from "../../server/domain/domain.ts";
import { createAttempts } from "../../server/domain/idempotency/attempts.ts";
import { createLimitsOf } from "../../server/domain/plans/limits-of.ts";
import { noMeter } from "../../server/domain/ports/meter.ts";
import { noTracing } from "../../server/domain/ports/tracing.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { createShareLinks } from "../../server/domain/shares/links.ts";
import { createUploadTurns } from "../../server/domain/uploads/turns.ts";
import { ensureFirstCredentials } from "../../server/domain/organisations/found.ts";
import { sweep } from "../../server/pipeline/jobs/cleanup/sweep.ts";
import { closeStores, openStores, type Stores } from "../../server/stores.ts";
import { createTransport, type Transport } from "../../server/transport/server.ts";
import { creations } from "../../server/transport/services/creations.ts";
import { routes, services } from "../../server/transport/services/index.ts";
import { documentFormats } from "../../server/formats/identify.ts";
import { makePdf } from "../fixtures/pdf.ts";

/** When a transaction fails: after it has been committed, so that only its answer is lost, or before. */
type Fault = "after the commit" | "before the commit";

const log = pino({ level: "silent" });
const document = makePdf({ pages: [{ text: "lanterns of the harbour" }] });
const fileName = "harbour.pdf";

let dataDir: string;
let stores: Stores;
let transport: Transport;
let drs: Drs;
let server: { readonly url: string; readonly apiKey: string };
/** The transactions that are yet to fail, by name. */
let faults: Map<string, Fault>;
let isDown: boolean;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-commits-"));
  stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
  faults = new Map();
  isDown = false;
  const { metadata } = stores;
  const credentials = await ensureFirstCredentials(metadata, true, Date.now());
  if (credentials === undefined) throw new Error("there are no credentials");
  const domain = domainOn({ ...stores, metadata: unreliable(metadata) });
  const uses = { keys: ignored, members: ignored, sessions: ignored };
  const authenticate = createAuthenticate(metadata, uses, Date.now);
  transport = createTransport({
    routes: routes(domain, authenticate, { hasConsole: false }),
    services,
    authenticate,
    openShare: () => Promise.reject(new Error("no links are opened here")),
    idempotency: { attempts: createAttempts(metadata.idempotency, Date.now), creations: creations(domain) },
    readiness: async () => ({ ready: true, checks: {} }),
    log,
  });
  server = { url: await transport.listen("127.0.0.1", 0), apiKey: credentials.apiKey };
  drs = createDrs({ server: server.url, apiKey: server.apiKey });
});
afterEach(async () => {
  await transport.close(0);
  await closeStores(stores);
  await rm(dataDir, { recursive: true });
});

const ignored = { record: () => undefined, flush: async () => undefined };

function domainOn({ metadata, blobs, vectors }: Stores): Domain {
  return {
    metadata,
    blobs,
    vectors,
    formats: documentFormats,
    worker: { wake: () => undefined, isReady: () => true },
    shareLinks: createShareLinks({ signingKeys: metadata.signingKeys, clock: Date.now }),
    uploadTurns: createUploadTurns(),
    meter: noMeter,
    tracing: noTracing,
    clock: Date.now,
    limits: { maxUploadBytes: 2 ** 30, maxDocumentBytes: 2 ** 30 },
    limitsOf: createLimitsOf(metadata, Date.now),
  } as unknown as Domain;
}

/** The real store, with a connection that breaks where the test says so. */
function unreliable(metadata: Metadata): Metadata {
  const breaking =
    <Input extends readonly unknown[], Output>(name: string, run: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      const fault = faults.get(name);
      faults.delete(name);
      if (fault === "before the commit") throw new Error("the connection broke");
      const output = await run(...input);
      if (fault === "after the commit") throw new Error("the connection broke");
      return output;
    };
  const { datasets, uploads, garbage } = metadata;
  return {
    ...metadata,
    datasets: { ...datasets, create: breaking("create", datasets.create) },
    uploads: {
      ...uploads,
      end: breaking("end", uploads.end),
      putPart: breaking("putPart", uploads.putPart),
    },
    garbage: {
      ...garbage,
      postpone: (...input) => (isDown ? Promise.reject(new Error("the connection broke")) : garbage.postpone(...input)),
    },
  };
}

async function sweepNow(): Promise<void> {
  const { metadata, blobs, vectors } = stores;
  const request = (): void => undefined;
  const clock = (): number => Date.now() + 1;
  await sweep({ metadata, blobs, vectors, maintenance: { request }, rowMaintenance: { request }, clock, log });
}

const blobsIn = async (folder: string): Promise<string[]> => readdir(join(dataDir, "blobs", folder)).catch(() => []);

async function storedBytes(): Promise<Buffer[]> {
  const found = [];
  for (const name of await blobsIn("originals")) {
    const blob = await stores.blobs.get(`originals/${name}`);
    if (blob !== undefined) found.push(Buffer.concat(await Array.fromAsync(blob.body)));
  }
  return found;
}

const datasetIds = async (): Promise<string[]> => (await Array.fromAsync(drs.datasets.list())).map(({ id }) => id);

interface Answer {
  readonly status: number;
  readonly data: { readonly id: string; readonly datasetId: string; readonly key: string };
}

async function post(path: string, body: FormData | object, idempotencyKey?: string): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/${path}`, {
    method: "POST",
    headers: {
      "x-api-key": server.apiKey,
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(!(body instanceof FormData) && { "content-type": "application/json" }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  return { status: response.status, data: Object(await response.json()).data };
}

function form(fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", new Blob([new Uint8Array(document)]), fileName);
  return form;
}

const upload = (key?: string): Promise<Answer> => post("extract", form(), key);

async function startSession(): Promise<string> {
  const session = { fileName, fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
  const started = await post("upload-session/start", session);
  return started.data.key;
}
const append = (key: string): Promise<Answer> => post("upload-session/append", form({ key, partNumber: "1" }));
const end = (key: string, idempotencyKey?: string): Promise<Answer> =>
  post("upload-session/end", { key }, idempotencyKey);

describe("a document whose transaction was committed, but whose answer was lost", () => {
  test("keeps its original, and the same request again gives the same dataset", async () => {
    faults.set("create", "after the commit");
    expect((await upload("mine")).status).toBe(500);
    await sweepNow();
    expect(await storedBytes()).toEqual([Buffer.from(document)]);
    const [id] = await datasetIds();
    expect(await upload("mine")).toMatchObject({ status: 200, data: { datasetId: id } });
    expect(await datasetIds()).toEqual([id]);
    expect(await storedBytes()).toHaveLength(1);
  });

  test("keeps it where it came in parts, and ending again gives the same job", async () => {
    const key = await startSession();
    await append(key);
    faults.set("end", "after the commit");
    expect((await end(key, "mine")).status).toBe(500);
    await sweepNow();
    expect(await storedBytes()).toEqual([Buffer.from(document)]);
    const [id] = await datasetIds();
    for (const idempotencyKey of ["mine", undefined])
      expect(await end(key, idempotencyKey)).toMatchObject({ status: 200, data: { datasetId: id } });
    expect(await blobsIn("parts")).toEqual([]);
  });

  test("keeps each of its parts, which can be ended, or sent again", async () => {
    const key = await startSession();
    faults.set("putPart", "after the commit");
    expect((await append(key)).status).toBe(500);
    await sweepNow();
    expect(await blobsIn("parts")).toHaveLength(1);
    expect((await append(key)).status).toBe(200);
    await sweepNow();
    expect(await blobsIn("parts")).toHaveLength(1);
    expect((await end(key)).status).toBe(200);
    expect(await storedBytes()).toEqual([Buffer.from(document)]);
  });
});

describe("a document whose transaction was not committed", () => {
  test("leaves nothing behind, and the same request again makes it, once", async () => {
    faults.set("create", "before the commit");
    expect((await upload("mine")).status).toBe(500);
    expect(await datasetIds()).toEqual([]);
    await sweepNow();
    expect(await blobsIn("originals")).toEqual([]);
    expect((await upload("mine")).status).toBe(200);
    await sweepNow();
    expect(await storedBytes()).toEqual([Buffer.from(document)]);
    expect(await datasetIds()).toHaveLength(1);
  });

  test("leaves its session and its parts as they were", async () => {
    const key = await startSession();
    faults.set("putPart", "before the commit");
    expect((await append(key)).status).toBe(500);
    await sweepNow();
    expect(await blobsIn("parts")).toEqual([]);
    expect((await append(key)).status).toBe(200);
    faults.set("end", "before the commit");
    expect((await end(key, "mine")).status).toBe(500);
    await sweepNow();
    expect(await blobsIn("originals")).toEqual([]);
    expect(await blobsIn("parts")).toHaveLength(1);
    expect((await end(key, "mine")).status).toBe(200);
    expect(await storedBytes()).toEqual([Buffer.from(document)]);
  });

  test("stays on the list of what is to be removed, if that does not answer either", async () => {
    isDown = true;
    faults.set("create", "before the commit");
    expect((await upload()).status).toBe(500);
    await sweepNow();
    expect(await blobsIn("originals")).toHaveLength(1);
    const [name] = await blobsIn("originals");
    expect(await stores.metadata.garbage.due(Date.now() + 25 * 3_600_000, 10)).toEqual([
      { kind: "blob", key: `originals/${name}` },
    ]);
  });
});
