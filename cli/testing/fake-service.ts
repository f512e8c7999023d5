import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Code, ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { DatasetType, ItemRow, JobStatus, JobType, KeyScope } from "@drs/client/gen/drs/v1/enums_pb";
import { ItemService } from "@drs/client/gen/drs/v1/items_pb";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import { ErrorInfoSchema } from "@drs/client/gen/google/rpc/error_details_pb";
import { listen, type Listening } from "../../clients/typescript/testing/service.ts";

/** The only valid key. */
export const goodKey = "drs_good";

const pagesOfEach = 20;
/** The page whose link fails, like a page that cannot be rendered. */
const brokenPage = 13;

export interface FakeService extends Listening {
  /** The requests: `upload a.pdf vectorize`, `cancel dsj_1`, `search …`. */
  readonly log: string[];
}

/**
 * A service that behaves as the contract says, depending on the names of the files: `refused…` is not a document, the
 * job of `broken…` ends in ERROR, `partly…` loses page 3, `endless…` never ends. A search for `nowhere` finds nothing.
 * `stepMs` is the time between the states of a job.
 */
export async function fakeService({ stepMs = 0 } = {}): Promise<FakeService> {
  const log: string[] = [];
  const names: string[] = [];
  const sums: string[] = [];
  let url = "";
  const service = await listen(
    (router) =>
      routes(router, {
        log,
        names,
        sums,
        stepMs,
        link: (id) => ({ url: `${url}/v1/share/${id}?token=t`, token: "t", expiresAt: 1_800_000_000_000 }),
      }),
    (request, response) => void rest(request, response, { log, names, sums }),
  );
  url = service.url;
  return { ...service, log };
}

interface State {
  readonly log: string[];
  /** File names by dataset: `ds_0`, `ds_1` …; jobs are numbered likewise. */
  readonly names: string[];
  /** SHA-256 of the files, hexadecimal. */
  readonly sums: string[];
}

const checkKey: Interceptor = (next) => (request) => {
  if (request.header.get("x-api-key") !== goodKey)
    throw new ConnectError("this API key is not known", Code.Unauthenticated);
  return next(request);
};

function routes(
  router: ConnectRouter,
  {
    log,
    names,
    sums,
    stepMs,
    link,
  }: State & { stepMs: number; link: (id: string) => { url: string; token: string; expiresAt: number } },
): void {
  const options = { interceptors: [checkKey] };
  const nameOf = (id: string): string => {
    const name = names[Number(id.split("_")[1])];
    if (name === undefined) {
      const next = "drs datasets list and drs jobs list show the existing ids";
      const info = { reason: "DATASET_NOT_FOUND", domain: "drs", metadata: { next } };
      throw new ConnectError(`there is no ${id}`, Code.NotFound, undefined, [{ desc: ErrorInfoSchema, value: info }]);
    }
    return name;
  };
  const dataset = (id: string) => ({
    id,
    workspaceId: "ws_1",
    type: DatasetType.DOC,
    itemCount: pagesOfEach,
    fileName: nameOf(id),
    fileExt: "pdf",
    mimeType: "application/pdf",
    fileSize: 4_700_000,
    createdAt: 1_790_000_000_000,
    share: link(id),
    sha256: sums[Number(id.split("_")[1])] ?? "",
  });
  const job = (id: string, pagesDone: number, status: JobStatus = JobStatus.IN_PROGRESS) => {
    const name = nameOf(id);
    const ended = status !== JobStatus.IN_PROGRESS;
    return {
      id,
      datasetId: id.replace("dsj", "ds"),
      type: JobType.EXTRACT,
      status,
      createdAt: 1_790_000_000_000,
      ...(ended
        ? { finishedAt: 1_790_000_005_000, statusText: status === JobStatus.ERROR ? "the document has no pages" : "" }
        : {}),
      progress: { stage: ended ? "done" : "read", pagesDone, pagesTotal: pagesOfEach },
      warnings:
        ended && name.startsWith("lossy") ? [{ code: "formula", message: "a formula is not shown", page: 2 }] : [],
      failures:
        ended && name.startsWith("partly") ? [{ page: 3, reason: "the page draws for longer than 30 seconds" }] : [],
    };
  };
  const lastOf = (id: string) =>
    job(id, pagesOfEach, nameOf(id).startsWith("broken") ? JobStatus.ERROR : JobStatus.SUCCESS);

  router.service(
    JobService,
    {
      listJobs({ statuses, offset, limit = 10 }) {
        const matching = names
          .map((name, index) => (name.startsWith("endless") ? job(`dsj_${index}`, 15) : lastOf(`dsj_${index}`)))
          .filter(({ status }) => statuses.length === 0 || statuses.includes(status));
        return { total: matching.length, offset, limit, data: matching.slice(offset, offset + limit) };
      },
      getJob: ({ id }) => ({ job: lastOf(id) }),
      cancelJob({ id }) {
        log.push(`cancel ${id}`);
        return { job: { ...job(id, 4, JobStatus.ERROR), canceledAt: 5 } };
      },
      async *watchJob({ id }, { signal }) {
        for (let pagesDone = 0; pagesDone < pagesOfEach; pagesDone += 5) {
          yield { job: job(id, pagesDone), revision: String(pagesDone + 1) };
          await new Promise((resolve) => setTimeout(resolve, stepMs));
        }
        if (nameOf(id).startsWith("endless")) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield { job: lastOf(id), revision: "99" };
      },
    },
    options,
  );
  router.service(
    DatasetService,
    {
      listDatasets({ offset, limit = 10, sha256 }) {
        const matching = names
          .map((_, index) => dataset(`ds_${index}`))
          .filter((dataset) => sha256.length === 0 || sha256.includes(dataset.sha256));
        return { total: matching.length, data: matching.slice(offset, offset + limit) };
      },
      getDataset: ({ id }) => ({ dataset: dataset(id) }),
      vectorizeDataset: ({ id }) => ({ job: job(id.replace("ds", "dsj"), 0) }),
      deleteDataset({ id }) {
        nameOf(id);
        log.push(`delete ${id}`);
        return { deleted: { id, freedBytes: 4_700_000 } };
      },
    },
    options,
  );
  router.service(
    ItemService,
    {
      listItems({ datasetId, row = ItemRow.JPG, cols, offset, limit = 10 }) {
        nameOf(datasetId);
        const pages = Array.from({ length: pagesOfEach }, (_, index) => index + 1).filter(
          (page) => cols.length === 0 || cols.some((range) => includes(range, page)),
        );
        const data = pages
          .slice(offset, offset + limit)
          .map((col) => ({ id: `dsx_${col}`, datasetId, col, row, createdAt: 1, share: link(`dsx_${col}`) }));
        return { total: pages.length, offset, limit, data };
      },
    },
    options,
  );
  router.service(
    SearchService,
    {
      search({ query, limit = 10, row = ItemRow.JPG }) {
        log.push(`search ${query?.text} ${query?.imageUrl.slice(0, 22)}`.trim());
        const data = (query?.text === "nowhere" ? [] : [7, 2, 9]).slice(0, limit).map((col, index) => ({
          id: `dsx_${col}`,
          datasetId: "ds_0",
          col,
          row,
          createdAt: 1,
          share: link(`dsx_${col}`),
          score: 0.9 - index / 10,
        }));
        return { total: data.length, data };
      },
    },
    options,
  );
  router.service(
    WorkspaceService,
    {
      createKey: ({ workspace, name }) => ({
        key: { id: "k1", key: "drs_k1_secret", workspaceId: workspace || "ws_1", name, scopes: [KeyScope.READ] },
      }),
      listKeys: () => ({
        total: 1,
        data: [{ id: "k1", workspaceId: "ws_1", name: "ci", scopes: [KeyScope.READ], createdAt: 1_790_000_000_000 }],
      }),
      revokeKey: ({ id }) => ({ key: { id, revokedAt: 5 } }),
      createWorkspace: ({ name }) => ({ workspace: { id: "ws_2", organisationId: "org_1", name, createdAt: 1 } }),
      listWorkspaces: () => ({
        total: 1,
        data: [{ id: "ws_1", organisationId: "org_1", name: "default", createdAt: 1 }],
      }),
    },
    options,
  );
}

function includes(range: string, page: number): boolean {
  const [from = "", to = from] = range.split(":");
  return page >= Number(from || 1) && page <= Number(to || pagesOfEach);
}

async function rest(request: IncomingMessage, response: ServerResponse, { log, names, sums }: State): Promise<void> {
  const path = new URL(request.url ?? "", "http://localhost").pathname;
  const refuse = (status: number, error: string, code: string): void => {
    request.resume();
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ success: false, error, code }));
  };
  if (path.startsWith("/v1/share/")) {
    const page = Number(path.split("_")[1]);
    if (page === brokenPage) return refuse(422, `page ${page} cannot be rendered`, "FAILED_PRECONDITION");
    response.writeHead(200, { "content-type": "image/jpeg" }).end(`page ${page}`);
    return;
  }
  if (request.headers["x-api-key"] !== goodKey) return refuse(401, "this API key is not known", "UNAUTHENTICATED");
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const form = await new Response(Buffer.concat(pieces), {
    headers: { "content-type": request.headers["content-type"] ?? "" },
  }).formData();
  const file = form.get("file");
  if (!(file instanceof File)) return refuse(400, "there is no file", "INVALID_ARGUMENT");
  if (file.name.startsWith("refused")) return refuse(415, "this is none of pdf, docx, pptx, xlsx", "INVALID_ARGUMENT");
  const index = names.push(file.name) - 1;
  sums.push(
    createHash("sha256")
      .update(await file.bytes())
      .digest("hex"),
  );
  const settings = ["expiresInDays", "callbackUrl", "ifExists"]
    .map((name) => form.get(name))
    .filter((value) => typeof value === "string");
  log.push(["upload", file.name, path.slice("/v1/".length), ...settings].join(" "));
  const data = {
    id: `dsj_${index}`,
    datasetId: `ds_${index}`,
    type: `datasets/${path.slice("/v1/".length)}`,
    status: "IN_PROGRESS",
    createdAt: 1_790_000_000_000,
  };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ success: true, total: 1, data }));
}
