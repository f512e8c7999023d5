import { readFile, rm } from "node:fs/promises";
import http2 from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createDrs, type Drs } from "@drs/client";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { Agent, fetch as fetchBy } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeLargePdf } from "../fixtures/large-pdf.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { hasTool, toolReason } from "../service/tools.ts";
import { type Proxy, startProxy } from "./proxies/proxy.ts";

const hasProxy = (name: string): boolean => hasTool(name) && hasTool("openssl");

describe.each(["nginx", "caddy"] as const)("the sample of %s", (name) => {
  describe.skipIf(!hasProxy(name))(`in front of a server${toolReason(name, "openssl")}`, () => {
    let server: TestServer;
    let proxy: Proxy;
    let agent: Agent;
    let drs: Drs;
    let key: string;
    const file = join(tmpdir(), `drs-proxied-${name}-${process.pid}.pdf`);

    beforeAll(async () => {
      server = await startServer({ workers: "1", trustedProxies: "127.0.0.1/32" });
      key = server.credentials.apiKey;
      proxy = await startProxy(name, server.url);
      agent = new Agent({ connect: { ca: proxy.certificate } });
      drs = createDrs({ server: proxy.url, apiKey: key, fetch });
    });
    afterAll(async () => {
      await agent.close();
      await proxy[Symbol.asyncDispose]();
      await server.remove();
      await rm(file, { force: true });
    });

    /** Trusts the proxy's certificate. */
    const fetch = ((input: string, init: object) =>
      fetchBy(input, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch;

    test("lets uploads of any size through, and share links begin with its own address", async () => {
      await writeLargePdf(file, 24 * 2 ** 20);
      const { id } = await drs.datasets.upload(await readFile(file), { fileName: "large.pdf" });
      const job = await drs.jobs.wait(id);
      expect(job).toMatchObject({ status: "SUCCESS" });
      const { data } = await drs.items.page(job.datasetId, { row: "jpg" });
      const url = data[0]?.share?.url ?? "";
      expect(url.startsWith(`${proxy.url}/v1/share/`)).toBe(true);
      const picture = await fetch(url, {});
      expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      expect((await picture.bytes()).length).toBeGreaterThan(500);
    });

    test("passes events on as they come", async () => {
      const pages = Array.from({ length: 500 }, (_, index) => ({ text: `page ${index + 1}` }));
      const { id } = await drs.datasets.upload(makePdf({ pages }), { fileName: "long.pdf", vectorize: true });
      const headers = { "x-api-key": key, accept: "text/event-stream" };
      const answer = await fetch(`${proxy.url}/v1/jobs/${id}/watch`, { headers });
      expect(answer.headers.get("content-type")).toContain("text/event-stream");
      for await (const piece of answer.body ?? []) {
        expect(Buffer.from(piece).toString()).toContain(id);
        break;
      }
      // The job was not over: the proxy did not keep the events until then.
      expect(["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"]).toContain((await drs.jobs.get(id)).status);
      await drs.jobs.cancel(id);
    });

    test("speaks gRPC, with trailers and streams", async () => {
      const withKey: Interceptor = (next) => (request) => {
        request.header.set("x-api-key", key);
        return next(request);
      };
      const transport = createGrpcTransport({
        baseUrl: proxy.url,
        nodeOptions: { ca: proxy.certificate },
        interceptors: [withKey],
      });
      const jobs = createClient(JobService, transport);
      const { data: listed } = await jobs.listJobs({ limit: 10 });
      expect(listed.length).toBeGreaterThan(0);
      await expect(jobs.getJob({ id: "dsj_01k00000000000000000000000" })).rejects.toThrow(/not_found/);
      for await (const { job } of jobs.watchJob({ id: listed[0]?.id ?? "" })) expect(job?.id).toBe(listed[0]?.id);
    });

    test("speaks HTTP/2 to REST clients", async () => {
      const session = http2.connect(proxy.url, { ca: proxy.certificate });
      const request = session.request({ ":path": "/v1/jobs?limit=1", "x-api-key": key });
      const headers = await new Promise<http2.IncomingHttpHeaders>((resolve) => request.once("response", resolve));
      expect(headers[":status"]).toBe(200);
      request.close();
      session.close();
    });

    test("hides what is for operators inside", async () => {
      const headers = { "x-api-key": key };
      for (const path of ["/metrics", "/operator/state"]) {
        expect((await fetch(`${proxy.url}${path}`, { headers })).status).toBe(403);
        expect((await globalThis.fetch(`${server.url}${path}`, { headers })).status).toBe(200);
      }
      expect((await fetch(`${proxy.url}/readyz`, {})).status).toBe(200);
    });
  });
});
