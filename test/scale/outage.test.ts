import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs } from "@drs/client";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../servers/postgres.ts";
import { type S3Server, startS3Server } from "../servers/s3.ts";
import { type Acknowledged, expectWhole, uploadAll } from "./clients.ts";
import { documentOf, wordOf } from "./documents.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { hasSharedStores, scaleReason, storeVariables } from "./stores.ts";

const awayMs = Number(process.env["DRS_TEST_SCALE_OUTAGE_MS"] ?? 5_000);
const soon = { timeout: 180_000, interval: 200 };

/** The observations of a client that knows the stored data. */
interface Seen {
  readonly statuses: Map<number, number>;
  /** Answers that were neither right nor a 503 that says when to try again. */
  readonly wrong: unknown[];
}

describe.skipIf(!hasSharedStores)(`a store that is away for a while${scaleReason}`, { timeout: 1_200_000 }, () => {
  let postgres: PostgresServer;
  let s3: S3Server;
  let fleet: Fleet;
  /** Stored before, so that no answer may lack it. */
  let known: readonly Acknowledged[];
  /** The paths of links to pictures of the pages of one of them. */
  let pictures: readonly string[];
  let next = 100;

  beforeAll(async () => {
    postgres = await startPostgres();
    s3 = await startS3Server();
    const name = `drs_${randomBytes(6).toString("hex")}`;
    const databaseUrl = await postgres.createDatabase();
    fleet = await startFleet({
      apis: 2,
      workers: 2,
      env: storeVariables({ databaseUrl, bucket: s3.bucket, name, s3: s3.variables() }),
    });
    known = await uploadAll(fleet, [1, 4].map(documentOf), 2);
    for (const each of known) await expectWhole(fleet, each);
    const items = await Array.fromAsync(fleet.client(0).items.list(known[1]?.datasetId ?? "", { row: "jpg" }));
    pictures = items.map(({ share }) => share.url.slice(new URL(share.url).origin.length));
  }, 900_000);
  afterAll(async () => {
    await fleet.close();
    await s3.stop();
    await postgres.close();
  });

  async function readinessOf(url: string): Promise<{ ready: boolean; checks?: Record<string, string> }> {
    const answer = await fetch(`${url}/readyz`, { headers: { "x-api-key": fleet.apiKey } });
    return JSON.parse(await answer.text());
  }

  const everyoneReady = (): Promise<void> =>
    expect
      .poll(
        async () => (await Promise.all(fleet.all.map(({ url }) => readinessOf(url)))).every(({ ready }) => ready),
        soon,
      )
      .toBe(true);

  /** Asks for what is there, again and again. */
  async function look(seen: Seen, api: number, isOver: () => boolean): Promise<void> {
    const url = fleet.apis[api]?.url ?? "";
    const headers = { "x-api-key": fleet.apiKey };
    const [first] = known;
    const search = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ query: wordOf(4, 1), datasetIds: known.map(({ datasetId }) => datasetId) }),
    };
    const paths: readonly (readonly [string, (body: string) => boolean, RequestInit?])[] = [
      ["/v1/datasets?limit=100", (body) => known.every(({ datasetId }) => body.includes(datasetId))],
      [`/v1/datasets/${first?.datasetId}`, (body) => body.includes(first?.datasetId ?? "-")],
      [`/v1/datasets/${first?.datasetId}/items?limit=100`, (body) => body.includes('"pdf"')],
      [`/v1/jobs/${first?.jobId}`, (body) => body.includes("SUCCESS")],
      ["/v1/search", (body) => known.some(({ datasetId }) => body.includes(datasetId)), search],
      ...pictures.map((path) => [path, (body: string) => body.length > 0] as const),
    ];
    while (!isOver()) {
      for (const [path, isRight, init] of paths) {
        const answer = await fetch(`${url}${path}`, init ?? { headers }).catch((cause: unknown) => ({ cause }));
        if (!(answer instanceof Response)) {
          seen.wrong.push({ path, ...answer });
          continue;
        }
        const body = await answer.text();
        seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1);
        const isAway = answer.status === 503 && Number(answer.headers.get("retry-after")) > 0;
        if (!isAway && !(answer.status === 200 && isRight(body))) {
          seen.wrong.push({ path, status: answer.status, headers: Object.fromEntries(answer.headers), body });
        }
      }
      await sleep(100);
    }
  }

  /** Documents are uploaded and worked on while a store goes and comes back. */
  async function through(away: () => Promise<void>): Promise<Seen> {
    const seen: Seen = { statuses: new Map(), wrong: [] };
    let isOver = false;
    const looking = Promise.all([0, 1].map((api) => look(seen, api, () => isOver)));
    const numbers = Array.from({ length: 8 }, () => next++);
    const uploading = uploadAll(fleet, numbers.map(documentOf), 2);
    // The outage is to meet jobs at work.
    await expect
      .poll(async () => (await fleet.client(0).jobs.page({ statuses: ["IN_PROGRESS"] })).total, soon)
      .toBeGreaterThan(0);
    try {
      await away();
      const acknowledged = await uploading;
      for (const each of acknowledged) await expectWhole(fleet, each);
      await everyoneReady();
    } finally {
      isOver = true;
      await looking;
    }
    for (const one of fleet.all)
      expect({ name: one.name, isRunning: one.isRunning() }).toMatchObject({ isRunning: true });
    expect(await fleet.verify("--repair")).toMatchObject({ code: 0 });
    expect(await fleet.verify()).toEqual({ code: 0, kinds: [] });
    return seen;
  }

  /** Every process names what it lacks; an API process without metadata cannot know the operator, and leaves the reasons out. */
  async function expectNamed(store: "metadata" | "blobs" | "vectors"): Promise<void> {
    for (const { url } of fleet.all) {
      await expect
        .poll(async () => {
          const { ready, checks } = await readinessOf(url);
          return ready || (checks?.[store] ?? "ok") === "ok";
        }, soon)
        .toBe(false);
    }
  }

  test("PostgreSQL: requests meanwhile get 503 over every protocol, and jobs go on afterwards", async () => {
    const seen = await through(async () => {
      await postgres.stop();
      const stopped = performance.now();
      await expectNamed("metadata");
      const url = fleet.apis[0]?.url ?? "";
      const headers = { "x-api-key": fleet.apiKey };
      for (const transport of [
        createDrs({ server: url }).transport,
        createGrpcTransport({ baseUrl: url }),
        createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" }),
      ]) {
        const refused = createClient(DatasetService, transport).listDatasets({}, { headers });
        const error: unknown = await refused.catch((cause: unknown) => cause);
        expect(error).toMatchObject({ rawMessage: expect.stringContaining("try again"), code: 14 });
        expect(Reflect.get(Object(error), "metadata").get("retry-after")).toMatch(/^\d+$/);
      }
      await sleep(Math.max(0, awayMs - (performance.now() - stopped)));
      await postgres.start();
    });
    expect(seen.wrong).toEqual([]);
    expect(new Set(seen.statuses.keys())).toEqual(new Set([200, 503]));
  });

  test("S3: what needs no documents is answered meanwhile, and jobs go on afterwards", async () => {
    const seen = await through(async () => {
      await s3.kill();
      const killed = performance.now();
      await expectNamed("blobs");
      await expectNamed("vectors");
      await sleep(Math.max(0, awayMs - (performance.now() - killed)));
      await s3.start();
    });
    expect(seen.wrong).toEqual([]);
    expect(seen.statuses.get(200)).toBeGreaterThan(0);
  });
});
