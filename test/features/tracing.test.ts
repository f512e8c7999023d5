import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDrs, type Drs } from "@drs/client";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";
import { type OtlpReceiver, startReceiver } from "../service/otlp-receiver.ts";
import { sharedStores } from "../service/shared-stores.ts";
import type { SentSpan } from "../service/otlp-spans.ts";

const question = "Where do the kingfishers winter?";
const document = makePdf({
  pages: [{ text: "The kingfishers winter at the estuary." }, { text: "Herons stay at the lake." }, { text: "" }],
});
const fileName = "confidential-birdwatch.pdf";

let dataDir: string;
let receiver: OtlpReceiver;
let processes: CommandProcess[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-tracing-"));
  await sharedStores(dataDir);
  receiver = await startReceiver();
  processes = [];
});
afterEach(async () => {
  for (const command of processes) command.kill("SIGKILL");
  await Promise.all(processes.map(({ outcome }) => outcome));
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

const collectorSecret = "collector-secret-57";
/** As an operator sets it, but that spans are sent soon. */
const tracing = (endpoint = receiver.endpoint): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorSecret}`,
  OTEL_BSP_SCHEDULE_DELAY: "100",
});

function start(words: readonly string[], env: Record<string, string>): CommandProcess {
  const command = startCommand([...words, "--workers", "1"], { HOME: dataDir, DRS_DATA_DIR: dataDir, ...env });
  processes.push(command);
  return command;
}

interface Server {
  readonly url: string;
  readonly apiKey: string;
  readonly command: CommandProcess;
}

async function serve(env: Record<string, string>, flags: readonly string[] = []): Promise<Server> {
  const command = start(["serve", "--port", "0", ...flags], env);
  const address = (): string => /drs listening on (\S+)/.exec(command.stdout())?.[1] ?? "";
  await expect.poll(address, { timeout: 60_000 }).not.toBe("");
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  return { url: address(), apiKey, command };
}

const newTraceId = (): string => randomBytes(16).toString("hex");

/** A client whose requests all belong to a trace. */
function clientIn(traceId: string, { url, apiKey }: Server): Drs {
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  return createDrs({
    server: url,
    apiKey,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("traceparent", traceparent);
      return fetch(input, { ...init, headers });
    },
  });
}

const inTrace = (traceId: string): readonly SentSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
const named = (spans: readonly SentSpan[], name: string): readonly SentSpan[] =>
  spans.filter((span) => span.name === name);

/** The one span of that name, once it has come. */
async function spanOf(traceId: string, name: string): Promise<SentSpan> {
  await expect.poll(() => named(inTrace(traceId), name).length, { timeout: 20_000, message: name }).toBe(1);
  const [span] = named(inTrace(traceId), name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
}

/** The names from a span up to the first one. */
function pathTo(span: SentSpan): readonly string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathTo(parent)), span.name];
}

async function upload(drs: Drs, settings: { vectorize?: boolean } = {}): Promise<{ datasetId: string; jobId: string }> {
  const { id, datasetId } = await drs.datasets.upload(document, { fileName, ...settings });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  return { datasetId, jobId: id };
}

const logLines = ({ command }: Server): Record<string, unknown>[] =>
  command
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const pagesOf = (spans: readonly SentSpan[]): number[] =>
  spans.map(({ attributes }) => Number(attributes["drs.page"])).toSorted((one, other) => one - other);

const processesOf = (lines: readonly Record<string, unknown>[]): string[] =>
  lines.map(({ process }) => String(process)).toSorted();

describe("with a receiver of spans", { timeout: 180_000 }, () => {
  test("an upload, its job and its pages are one trace, of the caller's", async () => {
    const server = await serve(tracing());
    const traceId = newTraceId();
    const { datasetId, jobId } = await upload(clientIn(traceId, server), { vectorize: true });

    const request = await spanOf(traceId, "POST /v1/vectorize");
    expect(request).toMatchObject({
      parentSpanId: "00f067aa0ba902b7",
      kind: 2,
      isError: false,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/vectorize",
        "http.response.status_code": 200,
        "drs.method": "drs.v1.DatasetService/Vectorize",
        "drs.request.id": expect.stringMatching(/^req_/),
      },
      resource: {
        "service.name": "drs",
        "service.instance.id": expect.stringMatching(/^[\da-f-]{36}$/),
        "drs.process.role": "api",
      },
    });
    const job = await spanOf(traceId, "job vectorize");
    expect(pathTo(job)).toEqual(["POST /v1/vectorize", "job vectorize"]);
    expect(job).toMatchObject({
      kind: 5,
      attributes: {
        "drs.job.id": jobId,
        "drs.dataset.id": datasetId,
        "drs.job.attempt": 1,
        "drs.job.outcome": "succeeded",
      },
      resource: { "service.name": "drs", "drs.process.role": "worker" },
    });
    expect(job.resource["service.instance.id"]).not.toBe(request.resource["service.instance.id"]);
    expect(job.end).toBeGreaterThan(job.start);

    const spans = inTrace(traceId);
    expect(named(spans, "stage count").map(pathTo)).toEqual([[...pathTo(job), "stage count"]]);
    expect(pagesOf(named(spans, "read page"))).toEqual([1, 2, 3]);
    expect(pagesOf(named(spans, "embed page"))).toEqual([1, 2, 3]);
    for (const page of named(spans, "embed page")) {
      expect(pathTo(page)).toEqual([...pathTo(job), "stage embed", "embed page"]);
      expect(page.start >= job.start && page.end <= job.end).toBe(true);
    }
    expect(await spanOf(traceId, "stage embed")).toMatchObject({
      attributes: { "drs.pages": 3, "drs.pages.failed": 0, "drs.pages.unshown": 0 },
    });
    expect(named(spans, "index pages").map(pathTo)).toEqual([[...pathTo(job), "stage embed", "index pages"]]);
    // The document, and the features of its pages.
    expect(named(spans, "blobs put").map(pathTo)).toEqual([
      ["POST /v1/vectorize", "blobs put"],
      [...pathTo(job), "stage embed", "index pages", "blobs put"],
    ]);

    const lines = logLines(server).filter((line) => line["traceId"] === traceId);
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(["request", "job claimed", "job finished"]));
    expect(receiver.paths).toContain("POST /v1/traces");
    expect(receiver.headers[0]).toMatchObject({
      "content-type": "application/x-protobuf",
      authorization: `Bearer ${collectorSecret}`,
    });
  });

  test("a worker in other processes goes on with the trace, later and by JSON", async () => {
    const json = { ...tracing(), OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_SERVICE_NAME: "pages" };
    const server = await serve(json, ["--no-worker"]);
    const traceId = newTraceId();
    const long = makePdf({ pages: Array.from({ length: 130 }, (_, index) => ({ text: `Heron ${index}` })) });
    const { id } = await clientIn(traceId, server).datasets.upload(long, { fileName });
    const request = await spanOf(traceId, "POST /v1/extract");

    start(["worker", "--log", "info"], json);
    expect(await clientIn(newTraceId(), server).jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    const job = await spanOf(traceId, "job extract");
    expect(job.parentSpanId).toBe(request.spanId);
    expect(job.start).toBeGreaterThan(request.end);
    expect(job.attributes["drs.job.waited_ms"]).toBeGreaterThan(0);
    expect(job.resource).toMatchObject({ "service.name": "pages", "drs.process.role": "worker" });
    // No more pages than a person looks at.
    expect(named(inTrace(traceId), "read page")).toHaveLength(100);
    expect(await spanOf(traceId, "stage read")).toMatchObject({
      attributes: { "drs.pages": 130, "drs.pages.failed": 0, "drs.pages.unshown": 30 },
    });
    expect(new Set(receiver.headers.map((headers) => headers["content-type"]))).toEqual(new Set(["application/json"]));
  });

  test("a search shows its parts, over Connect, gRPC, gRPC-Web and REST", async () => {
    const server = await serve(tracing());
    await upload(clientIn(newTraceId(), server), { vectorize: true });
    const parts = ["turn", "query", "words", "vectors", "fusion", "rows"].map((part) => `search ${part}`);
    const { url: baseUrl, apiKey } = server;

    async function expectParts(traceId: string, root: string): Promise<SentSpan> {
      const span = await spanOf(traceId, root);
      for (const part of parts) {
        await expect.poll(() => named(inTrace(traceId), part).map(pathTo)).toEqual([[root, part]]);
      }
      return span;
    }

    const overWorker = newTraceId();
    await clientIn(overWorker, server).search({ text: question.repeat(50) });
    const query = await spanOf(overWorker, "worker embedQuery");
    await expect
      .poll(() => pathTo(query))
      .toEqual(["drs.v1.SearchService/Search", "search query", "worker embedQuery"]);
    expect(query.resource["drs.process.role"]).toBe("worker");

    const overConnect = newTraceId();
    await clientIn(overConnect, server).search({ text: question });
    expect(await expectParts(overConnect, "drs.v1.SearchService/Search")).toMatchObject({
      attributes: { "rpc.system": "connect_rpc", "rpc.service": "drs.v1.SearchService", "rpc.method": "Search" },
    });

    for (const createTransport of [createGrpcTransport, createGrpcWebTransport]) {
      const traceId = newTraceId();
      const transport = createTransport({
        baseUrl,
        httpVersion: "2",
        interceptors: [
          (next) => (request) => {
            request.header.set("traceparent", `00-${traceId}-00f067aa0ba902b7-01`);
            return next(request);
          },
        ],
      });
      await createDrs({ server: baseUrl, apiKey, transport }).search({ text: question });
      expect(await expectParts(traceId, "drs.v1.SearchService/Search")).toMatchObject({
        attributes: { "rpc.system": "grpc", "rpc.grpc.status_code": 0, "network.protocol.version": "2.0" },
      });
    }

    const overRest = newTraceId();
    const answer = await fetch(`${baseUrl}/v1/search`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": apiKey,
        traceparent: `00-${overRest}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ query: { text: question } }),
    });
    expect(answer.status).toBe(200);
    await expectParts(overRest, "POST /v1/search");
  });

  test("a page that is viewed first is drawn in its trace, and nothing that is exported tells a secret", async () => {
    const server = await serve({ ...tracing(), OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" });
    const { datasetId } = await upload(clientIn(newTraceId(), server), { vectorize: true });
    const drs = clientIn(newTraceId(), server);
    const [item] = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", cols: ["2"] }));
    if (item === undefined) throw new Error("there is no second page");
    const link = new URL(item.share.url);
    const token = link.searchParams.get("token") ?? "";
    expect(token).not.toBe("");

    const viewing = newTraceId();
    const headers = { traceparent: `00-${viewing}-00f067aa0ba902b7-01` };
    expect((await fetch(link, { headers })).status).toBe(200);
    await spanOf(viewing, "GET /v1/share/{id}");
    const drawn = await spanOf(viewing, "draw page");
    expect(pathTo(drawn)).toEqual(["GET /v1/share/{id}", "wait for page", "worker render", "draw page"]);
    expect(drawn.attributes).toEqual({ "drs.dataset.id": datasetId, "drs.page": 2, "drs.item.row": "jpg" });
    expect(named(inTrace(viewing), "blobs get").map(pathTo)).toEqual([["GET /v1/share/{id}", "blobs get"]]);

    await drs.search({ text: question });
    await expect(drs.datasets.get("ds_kingfisher-of-nobody")).rejects.toThrow("kingfisher");
    await fetch(`${server.url}/v1/no-such-path/${token}?token=${token}`);
    await fetch(`${server.url}/v1/search`, { method: "POST", headers: { "x-api-key": "drs_wrong-key-9" } });
    server.command.kill("SIGTERM");
    expect(await server.command.outcome).toMatchObject({ code: 0 });

    const exported = receiver.bodies.map((body) => body.toString("utf8")).join("\n");
    expect(exported).toContain("search query");
    const secrets = [server.apiKey, "wrong-key", token, link.search, fileName, "confidential", "kingfisher", "estuary"];
    const others = [dataDir, collectorSecret, "no-such-path", "127.0.0.1"];
    expect([...secrets, ...others].filter((secret) => exported.includes(secret))).toEqual([]);
  });

  test("a job that fails says why in a word, and runs again in the trace of who asks for that", async () => {
    const server = await serve(tracing());
    const [first, second] = [newTraceId(), newTraceId()];
    const torn = Buffer.from("%PDF-1.7\nthe kingfisher was here\n");
    const { id } = await clientIn(first, server).datasets.upload(torn, { fileName });
    expect(await clientIn(newTraceId(), server).jobs.wait(id)).toMatchObject({ status: "ERROR" });
    const failed = { isError: true, attributes: { "drs.job.outcome": "failed", "error.type": "damaged" } };
    expect(await spanOf(first, "job extract")).toMatchObject(failed);

    await clientIn(second, server).jobs.retry(id);
    expect(await spanOf(second, "job extract")).toMatchObject({ ...failed, kind: 5 });
    await spanOf(second, "drs.v1.JobService/RetryJob");
    expect(named(inTrace(second), "job extract").map(pathTo)).toEqual([["drs.v1.JobService/RetryJob", "job extract"]]);
    expect(named(inTrace(first), "job extract")).toHaveLength(1);
  });

  test("who asks to be left out is, and a caller's trace is not taken where that is not wanted", async () => {
    const server = await serve({ ...tracing(), OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    const kept = newTraceId();
    await upload(clientIn(kept, server));
    await Array.fromAsync(createDrs({ server: server.url, apiKey: server.apiKey }).datasets.list());
    await spanOf(kept, "job extract");
    expect(receiver.spans.every(({ traceId }) => traceId === kept)).toBe(true);
    server.command.kill("SIGTERM");
    await server.command.outcome;

    const deaf = await serve({ ...tracing(), OTEL_PROPAGATORS: "none" });
    const refused = newTraceId();
    await upload(clientIn(refused, deaf));
    await expect.poll(() => named(receiver.spans, "job extract").length, { timeout: 20_000 }).toBe(2);
    expect(named(inTrace(refused), "job extract")).toEqual([]);
  });

  test("a probe has no span, and the last spans are sent when the server ends", async () => {
    const server = await serve({ ...tracing(), OTEL_BSP_SCHEDULE_DELAY: "600000" });
    for (const path of ["/healthz", "/readyz", "/metrics"]) await fetch(server.url + path);
    const traceId = newTraceId();
    await upload(clientIn(traceId, server));
    expect(receiver.bodies).toEqual([]);
    server.command.kill("SIGTERM");
    expect(await server.command.outcome).toMatchObject({ code: 0 });
    expect(inTrace(traceId).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["POST /v1/extract", "job extract"]),
    );
    expect(receiver.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([]);
  });
});

describe("the packages of OpenTelemetry", { timeout: 120_000 }, () => {
  const noteModules = fileURLToPath(new URL("../service/note-modules.ts", import.meta.url));

  /** Packages of which the processes of a server have loaded a module, but for the one that prom-client needs. */
  async function packagesOf(env: Record<string, string>): Promise<readonly string[]> {
    const list = join(dataDir, "modules");
    await writeFile(list, "");
    const hook = { DRS_TEST_MODULES: list, NODE_OPTIONS: `--import=${noteModules}` };
    const server = await serve({ ...env, ...hook });
    await upload(clientIn(newTraceId(), server));
    server.command.kill("SIGTERM");
    await server.command.outcome;
    const names = (await readFile(list, "utf8")).match(/@opentelemetry\/[\w-]+/g) ?? [];
    return [...new Set(names)].filter((name) => name !== "@opentelemetry/api").toSorted();
  }

  test("are loaded where spans have a receiver, and else not", async () => {
    expect(await packagesOf(tracing())).toContain("@opentelemetry/sdk-trace");
    const off = [{}, { ...tracing(), OTEL_SDK_DISABLED: "true" }, { ...tracing(), OTEL_TRACES_EXPORTER: "none" }];
    const sent = receiver.bodies.length;
    for (const env of off) expect(await packagesOf(env)).toEqual([]);
    expect(receiver.bodies).toHaveLength(sent);
  });
});

describe("where the receiver does not take spans", { timeout: 180_000 }, () => {
  const complaints = (server: Server): Record<string, unknown>[] =>
    logLines(server).filter(({ msg }) => String(msg).includes("spans cannot be sent"));

  test.each(["is away", "refuses", "silent"] as const)("requests and jobs go on: %s", async (how) => {
    await receiver.close();
    receiver = await startReceiver({ behaviour: how === "silent" ? "silent" : "refuses" });
    const { endpoint } = receiver;
    if (how === "is away") await receiver.close();
    const server = await serve({ ...tracing(endpoint), OTEL_EXPORTER_OTLP_TIMEOUT: "500" });
    for (let nth = 0; nth < 3; nth++) await upload(clientIn(newTraceId(), server));
    // One line of each process, however many attempts have failed.
    const roles = (): string[] => processesOf(complaints(server));
    await expect.poll(() => roles(), { timeout: 20_000 }).toEqual(["api", "worker"]);
    await upload(clientIn(newTraceId(), server));
    server.command.kill("SIGTERM");
    expect(await server.command.outcome).toMatchObject({ code: 0 });
    expect(roles()).toEqual(["api", "worker"]);
    if (how === "is away") receiver = await startReceiver();
  });

  test("a protocol that drs does not speak is warned of", async () => {
    const server = await serve({ ...tracing(), OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    await upload(clientIn(newTraceId(), server));
    const warnings = logLines(server).filter(({ msg }) => String(msg).includes('OTLP protocol "grpc"'));
    expect(processesOf(warnings)).toEqual(["api", "worker"]);
    expect(receiver.bodies).toEqual([]);
  });
});
