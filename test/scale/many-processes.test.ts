import type { Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { hasSharedStores, sharedReason } from "../service/shared-stores.ts";
import { clientOf, type Processes, type SharedServer, startProcesses } from "../service/shared-processes.ts";

const soon = { timeout: 60_000, interval: 50 };
const pages = (count: number, text = "page"): Uint8Array<ArrayBuffer> =>
  makePdf({ pages: Array.from({ length: count }, (_, index) => ({ text: `${text} ${index + 1} of words` })) });

/** Returns the path of a link, without the server that it names. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

describe.skipIf(!hasSharedStores)(
  `several servers and workers on shared stores${sharedReason}`,
  { timeout: 240_000 },
  () => {
    let processes: Processes;
    let servers: SharedServer[];
    let founder: SharedServer;
    let apiKey: string;
    let drs: Drs;
    let other: Drs;
    beforeAll(async () => {
      processes = await startProcesses();
      servers = await Promise.all(Array.from({ length: 4 }, () => processes.serve(["--no-worker"])));
    }, 240_000);
    afterAll(() => processes.close(), 60_000);

    test("that start at once on empty stores make one organisation and one key", async () => {
      const keys = await Promise.all(servers.map((server) => server.apiKey()));
      const index = keys.findIndex((key) => key !== undefined);
      expect(keys.filter((key) => key !== undefined)).toHaveLength(1);
      const [found, second] = [servers[index], servers[(index + 1) % servers.length]];
      if (found === undefined || second === undefined) throw new Error("there are too few servers");
      [founder, apiKey] = [found, keys[index] ?? ""];
      [drs, other] = [clientOf(founder, apiKey), clientOf(second, apiKey)];
      expect(await drs.organisations.list()).toHaveLength(1);
      expect(await other.keys.list()).toHaveLength(1);
    });

    test("work on one queue: a job is accepted by one, done by a worker, followed and searched by another", async () => {
      const workers = [await processes.work(), await processes.work()];
      const { id, datasetId } = await drs.datasets.upload(pages(60, "heron"), { vectorize: true, fileName: "a.pdf" });
      expect(await other.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
      await expect.poll(async () => (await other.search("heron")).length, soon).toBeGreaterThan(0);
      const claims = workers.map((worker) => worker.stderr().match(/"msg":"job claimed"/g)?.length ?? 0);
      expect(claims.reduce((sum, count) => sum + count, 0)).toBe(1);
      await other.datasets.delete(datasetId);
      await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ status: 404 });
    });

    test("render one page at once, each for its own callers", async () => {
      const { id, datasetId } = await drs.datasets.upload(pages(1), { fileName: "a.pdf" });
      await drs.jobs.wait(id);
      const [item] = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg" }));
      const path = pathOf(item?.share.url ?? "");
      const bodies = await Promise.all(
        servers.map(async (server) => {
          const response = await fetch(`${server.url}${path}`);
          expect(response.status).toBe(200);
          return Buffer.from(await response.arrayBuffer()).toString("hex");
        }),
      );
      expect(new Set(bodies).size).toBe(1);
    });

    test("let a key through as often as one would", async () => {
      const perMinute = 60;
      const { key } = await drs.keys.create({ name: "limited", requestsPerMinute: perMinute });
      const startedAt = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: 4 * perMinute }, async (_, index) => {
          const server = servers[index % servers.length];
          const response = await fetch(`${server?.url}/v1/datasets`, { headers: { "x-api-key": key } });
          await response.arrayBuffer();
          return response.status;
        }),
      );
      const allowed = statuses.filter((status) => status === 200).length;
      const refilled = ((performance.now() - startedAt) * perMinute) / 60_000;
      expect(allowed).toBeLessThanOrEqual(perMinute + Math.ceil(refilled));
      // What a process has been granted and not needed, a twentieth each.
      expect(allowed).toBeGreaterThanOrEqual(perMinute - servers.length * 3);
      expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    });

    test("refuse a revoked key at once, all of them", async () => {
      const { id, key } = await drs.keys.create({ name: "short-lived" });
      const ask = async (server: SharedServer): Promise<number> =>
        (await fetch(`${server.url}/v1/datasets`, { headers: { "x-api-key": key } })).status;
      expect(await Promise.all(servers.map(ask))).toEqual(servers.map(() => 200));
      await other.keys.revoke(id);
      expect(await Promise.all(servers.map(ask))).toEqual(servers.map(() => 401));
    });

    test("do once what is sent to all with one idempotency key, also while another server starts", async () => {
      const before = (await drs.datasets.page({ limit: 1 })).total;
      const bytes = pages(30, "ibis");
      const send = async (server: SharedServer): Promise<{ status: number; id: string | undefined }> => {
        const form = new FormData();
        form.set("file", new Blob([bytes]), "once.pdf");
        const response = await fetch(`${server.url}/v1/extract`, {
          method: "POST",
          headers: { "x-api-key": apiKey, "idempotency-key": "one-of-many" },
          body: form,
        });
        const { data } = (await response.json()) as { data?: { id: string } };
        return { status: response.status, id: data?.id };
      };
      const [answers, late] = await Promise.all([Promise.all(servers.map(send)), processes.serve(["--no-worker"])]);
      const created = answers.filter(({ status }) => status < 300);
      expect(created.length).toBeGreaterThan(0);
      expect(answers.every(({ status }) => status < 300 || status === 409)).toBe(true);
      const again = await send(late);
      expect(new Set([...created, again].map(({ id }) => id)).size).toBe(1);
      expect((await drs.datasets.page({ limit: 1 })).total).toBe(before + 1);
    });

    test("let links that one has signed be opened by all, until one of them has them revoked", async () => {
      const { id, datasetId } = await drs.datasets.upload(pages(1), { fileName: "linked.pdf" });
      await drs.jobs.wait(id);
      const path = pathOf((await drs.datasets.get(datasetId)).share.url);
      const open = async (server: SharedServer): Promise<number> => (await fetch(`${server.url}${path}`)).status;
      expect(await Promise.all(servers.map(open))).toEqual(servers.map(() => 200));
      await other.links.rotate({ revoke: true });
      expect(await Promise.all(servers.map(open))).toEqual(servers.map(() => 403));
    });

    test("take up at once what a worker that was told to stop gives back", async () => {
      const worker = await processes.work();
      const { id } = await drs.datasets.upload(pages(400, "crane"), { vectorize: true, fileName: "long.pdf" });
      await expect.poll(async () => (await other.jobs.get(id)).progress.pagesDone, soon).toBeGreaterThan(0);
      worker.kill("SIGTERM");
      expect((await worker.outcome).code).toBe(0);
      expect(await other.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [], statusText: "" });
    });

    test("get a new key where one is asked for, and only there", async () => {
      const server = await processes.serve(["--no-worker", "--new-key"]);
      const key = await server.apiKey();
      expect(key).toBeDefined();
      expect(key).not.toBe(apiKey);
      expect((await clientOf(founder, key ?? "").datasets.page({ limit: 1 })).total).toBeGreaterThan(0);
    });
  },
);
