import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { DatasetService } from "./gen/drs/v1/datasets_pb.ts";
import { DatasetType, ItemRow, JobStatus, JobType } from "./gen/drs/v1/enums_pb.ts";
import { ItemService } from "./gen/drs/v1/items_pb.ts";
import { JobService } from "./gen/drs/v1/jobs_pb.ts";
import { SearchService } from "./gen/drs/v1/search_pb.ts";
import { WorkspaceService } from "./gen/drs/v1/workspaces_pb.ts";
import { createDrs, type Drs, DrsError } from "./index.ts";
import { listen, type Listening } from "./testing/service.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function drsWith(routes: (router: ConnectRouter) => void): Promise<Drs> {
  const service = await listen(routes);
  open.push(service);
  return createDrs({ server: `${service.url}/`, apiKey: "drs_test" });
}

async function all<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const list: Entry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

describe("lists", () => {
  test("fetch the next page only when its first entry is wanted", async () => {
    const asked: string[] = [];
    const drs = await drsWith((router) =>
      router.service(DatasetService, {
        listDatasets({ offset, limit }) {
          asked.push(`${offset}+${limit}`);
          const data = Array.from({ length: Math.min(limit ?? 10, 250 - offset) }, (_, index) => ({
            id: `ds_${offset + index}`,
            type: DatasetType.DOC,
          }));
          return { total: 250, data };
        },
      }),
    );
    const seen: string[] = [];
    let askedForHundred = 0;
    for await (const dataset of drs.datasets.list()) {
      seen.push(dataset.id);
      if (seen.length === 100) askedForHundred = asked.length;
      if (seen.length === 101) break;
    }
    expect(askedForHundred).toBe(1);
    expect(asked).toEqual(["0+100", "100+100"]);
    expect(seen.at(-1)).toBe("ds_100");

    asked.length = 0;
    expect(await all(drs.datasets.list({ offset: 240, limit: 5 }))).toHaveLength(5);
    expect(asked).toEqual(["240+5"]);
    asked.length = 0;
    expect(await all(drs.datasets.list())).toHaveLength(250);
    expect(asked).toEqual(["0+100", "100+100", "200+100"]);
  });

  test("end when the service runs out of entries before its total", async () => {
    const drs = await drsWith((router) => router.service(JobService, { listJobs: () => ({ total: 5, data: [] }) }));
    expect(await all(drs.jobs.list())).toEqual([]);
  });

  test("send filters, sorts and pages in the words of the wire", async () => {
    let request: unknown;
    const drs = await drsWith((router) =>
      router.service(ItemService, {
        listItems(input) {
          request = {
            row: input.row,
            cols: input.cols,
            sort: input.sort,
            seconds: input.expiresInSeconds,
            limit: input.limit,
          };
          return {
            total: 1,
            limit: 7,
            data: [{ id: "dsx_1", datasetId: "ds_1", col: 16, row: ItemRow.PDF, createdAt: 5 }],
          };
        },
      }),
    );
    const query = { row: "pdf", cols: ["5:10,16", 20], sort: ["col"], limit: 7, expiresInSeconds: 60 } as const;
    const page = await drs.items.page("ds_1", query);
    expect(request).toEqual({ row: ItemRow.PDF, cols: ["5:10", "16", "20"], sort: ["col"], seconds: 60, limit: 7 });
    expect(page.data).toEqual([
      {
        id: "dsx_1",
        datasetId: "ds_1",
        col: 16,
        row: "pdf",
        createdAt: 5,
        share: { url: "", token: "", expiresAt: null },
        fileName: "",
        pageCount: 0,
      },
    ]);
    await drs.items.page("ds_1", { cols: 3 });
    expect(request).toMatchObject({ cols: ["3"], row: undefined });
  });
});

describe("messages", () => {
  test("a job has the contract's words, and null where nothing is set", async () => {
    const drs = await drsWith((router) =>
      router.service(JobService, {
        getJob: ({ id }) => ({
          job: {
            id,
            datasetId: "ds_1",
            type: JobType.VECTORIZE,
            status: JobStatus.IN_QUEUE,
            createdAt: 1_700_000_000_123,
          },
        }),
      }),
    );
    expect(await drs.jobs.get("dsj_1")).toEqual({
      id: "dsj_1",
      datasetId: "ds_1",
      type: "datasets/vectorize",
      status: "IN_QUEUE",
      statusText: null,
      startedAt: null,
      finishedAt: null,
      canceledAt: null,
      createdAt: 1_700_000_000_123,
      updatedAt: null,
      progress: { stage: "queue", pagesDone: 0, pagesTotal: 0 },
      failures: [],
      warnings: [],
    });
  });

  test("a status of a newer service is an error, not a guess", async () => {
    const drs = await drsWith((router) =>
      router.service(JobService, { getJob: () => ({ job: { type: JobType.EXTRACT, status: Object(77) + 0 } }) }),
    );
    await expect(drs.jobs.get("dsj_1")).rejects.toThrow("unknown value 77");
  });

  test("pictures of a search travel as data URLs, scores come back", async () => {
    let imageUrl = "";
    const drs = await drsWith((router) =>
      router.service(SearchService, {
        search({ query, datasetIds }) {
          imageUrl = query?.imageUrl ?? "";
          expect(query?.text).toBe("a red box");
          expect(datasetIds).toEqual(["ds_1"]);
          return { total: 1, data: [{ id: "dsx_1", col: 2, row: ItemRow.JPG, score: 0.75 }] };
        },
      }),
    );
    const bytes = new Uint8Array(100_000).map((_, index) => index % 251);
    const found = await drs.search(
      { text: "a red box", image: new Blob([bytes], { type: "image/png" }) },
      { datasetIds: ["ds_1"] },
    );
    expect(found[0]).toMatchObject({ col: 2, score: 0.75 });
    expect(imageUrl.startsWith("data:image/png;base64,")).toBe(true);
    expect(Buffer.from(imageUrl.split(",")[1] ?? "", "base64").equals(bytes)).toBe(true);
  });

  test("keys and workspaces", async () => {
    const drs = await drsWith((router) =>
      router.service(WorkspaceService, {
        createKey({ workspace, name, scopes }, { requestHeader }) {
          expect(requestHeader.get("x-api-key")).toBe("drs_test");
          return { key: { id: "k1", key: "drs_k1_secret", workspaceId: workspace, name, scopes } };
        },
        revokeKey: ({ id }) => ({ key: { id, revokedAt: 9 } }),
        listWorkspaces: () => ({
          total: 1,
          data: [{ id: "ws_1", organisationId: "org_1", name: "default", createdAt: 3 }],
        }),
      }),
    );
    expect(await drs.keys.create({ workspace: "ws_1", name: "ci", scopes: ["read", "admin"] })).toMatchObject({
      id: "k1",
      key: "drs_k1_secret",
      scopes: ["read", "admin"],
      lastUsedAt: null,
    });
    expect((await drs.keys.revoke("k1")).revokedAt).toBe(9);
    expect(await drs.workspaces.list()).toEqual([
      { id: "ws_1", organisationId: "org_1", name: "default", createdAt: 3 },
    ]);
  });
});

describe("failures", () => {
  test("carry code, status and request id", async () => {
    const drs = await drsWith((router) =>
      router.service(JobService, {
        getJob() {
          throw new ConnectError("no job dsj_9 in this workspace", Code.NotFound, { "x-request-id": "req-7" });
        },
      }),
    );
    const error = await drs.jobs.get("dsj_9").catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(DrsError);
    expect(error).toMatchObject({
      code: "not_found",
      status: 404,
      requestId: "req-7",
      message: "no job dsj_9 in this workspace",
    });
  });

  test("name the address that nothing listens on", async () => {
    const service = await listen(() => undefined);
    await service.close();
    const drs = createDrs({ server: service.url });
    const error = await drs.jobs.get("dsj_1").catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "unavailable", status: undefined });
    expect(String(error)).toContain(`cannot reach ${service.url}: connect ECONNREFUSED`);
  });

  test("an aborted call rejects with the reason of its signal", async () => {
    const drs = await drsWith((router) =>
      router.service(JobService, {
        getJob: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      }),
    );
    const stop = new AbortController();
    const reason = new Error("enough");
    const call = drs.jobs.get("dsj_1", { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
    await expect(drs.jobs.get("dsj_1", { signal: stop.signal })).rejects.toBe(reason);
  });

  test("a server that is no address is refused at once", () => {
    expect(() => createDrs({ server: "localhost:8420" })).toThrow("http or https address");
    expect(() => createDrs({ server: "" })).toThrow(TypeError);
  });

  test("words that the wire does not know are refused before anything is sent", async () => {
    const drs = createDrs({ server: "http://127.0.0.1:1" });
    const row: "jpg" = JSON.parse('"gif"');
    await expect(drs.items.page("ds_1", { row })).rejects.toThrow('"gif" is not one of pdf, jpg, embedding_image');
  });
});
