import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { DatasetService, type ExtractRequest } from "@drs/client/gen/drs/v1/datasets_pb";
import { DatasetType, ItemRow, JobStatus, JobType } from "@drs/client/gen/drs/v1/enums_pb";
import { ItemService } from "@drs/client/gen/drs/v1/items_pb";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import pino from "pino";
import { type Caller, type KeyScope, keyScopes } from "../../domain/caller.ts";
import {
  conflict,
  forbidden,
  invalid,
  notFound,
  tooLarge,
  unauthenticated,
  unprocessable,
  unsupported,
} from "../../domain/errors.ts";
import {
  newKeyId,
  newOrganisationId,
  newWorkspaceId,
  type OrganisationId,
  type WorkspaceId,
} from "../../domain/ids.ts";
import type { SharedContent } from "../../domain/shares/rendition.ts";
import { callerKey } from "../access/gate.ts";
import { createTransport, type Transport, type TransportOptions } from "../server.ts";

/** A real transport with a small fake service behind it, for the tests of the transport. */
export interface Fixture {
  readonly url: string;
  readonly transport: Transport;
  /** Parsed log lines. */
  readonly logged: Record<string, unknown>[];
  readonly seen: Seen;
}

/** The requests that the implementations received, and how they ended. */
export interface Seen {
  uploads: { fileName: string; size: number; sha256: string; expiresInDays: number | undefined; url: string }[];
  messages: number;
  largestMessage: number;
  broken: unknown[];
  watching: number;
  /** Calls of getJob that wait for 300 ms. */
  slow: number;
  /** Uploads named stall.pdf wait for this promise before they read more. */
  stall: Promise<void>;
}

export const fullKey = "full-key";
export const readKey = "read-key";
/** A key with all scopes in an organisation of its own. */
export const otherKey = "other-key";
/** A key of the organisation that runs the service. */
export const operatorKey = "operator-key";
export const maxUpload = 8 * 2 ** 20;
export const sharedBytes = Buffer.from("0123456789abcdefghij");

export async function startFixture(overrides: Partial<TransportOptions> = {}, limit = maxUpload): Promise<Fixture> {
  const seen: Seen = {
    uploads: [],
    messages: 0,
    largestMessage: 0,
    broken: [],
    watching: 0,
    slow: 0,
    stall: Promise.resolve(),
  };
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const transport = createTransport({
    routes: (router) => implement(router, seen, limit),
    services: [DatasetService, ItemService, JobService, MemberService, SearchService, ShareService, WorkspaceService],
    authenticate,
    openShare,
    idempotency: { attempts: noAttempts, creations: new Map() },
    readiness: async () => ({ ready: true, checks: { metadata: "ok" } }),
    log,
    ...overrides,
  });
  const url = await transport.listen("127.0.0.1", 0);
  return { url, transport, logged, seen };
}

/** None of the fake methods accepts an idempotency key. */
const noAttempts: TransportOptions["idempotency"]["attempts"] = {
  begin: () => Promise.reject(new Error("no method takes an idempotency key")),
};

const workspaceId = newWorkspaceId();

function caller(scopes: readonly KeyScope[], organisationId: OrganisationId, isOperator = false): Caller {
  const actor = { kind: "key", keyId: newKeyId(), requestsPerMinute: null } as const;
  return { organisationId, workspaceId, actor, scopes: new Set(scopes), isOperator };
}

const organisationId = newOrganisationId();
const callers: Readonly<Record<string, Caller>> = {
  [fullKey]: caller(keyScopes, organisationId),
  [readKey]: caller(["read"], organisationId),
  [otherKey]: caller(keyScopes, newOrganisationId()),
  [operatorKey]: caller(keyScopes, newOrganisationId(), true),
};

async function authenticate(credential: unknown): Promise<Caller> {
  const found = callers[String(credential)];
  if (found === undefined) throw unauthenticated("give an API key in the header x-api-key");
  return found;
}

const job = (id: string) => ({
  id,
  datasetId: "ds_1",
  type: JobType.EXTRACT,
  status: JobStatus.IN_PROGRESS,
  createdAt: 1721300000000,
  progress: { stage: "read" },
});

/** Errors by the id of the requested job. */
const failures: Readonly<Record<string, () => Error>> = {
  missing: () => notFound("there is no job missing"),
  conflict: () => conflict("the job is already done"),
  unsupported: () => unsupported("that is no document"),
  unprocessable: () => unprocessable("the page does not render"),
  lost: () => new ConnectError("two pages are lost", Code.DataLoss),
  wrapped: () => ConnectError.from(new TypeError("secret detail of a bug")),
  bug: () => new TypeError("secret detail of a bug"),
};

function implement(router: ConnectRouter, seen: Seen, limit: number): void {
  const receive = async (requests: AsyncIterable<ExtractRequest>, signal: AbortSignal) => {
    try {
      return await upload(requests, seen, limit);
    } catch (cause) {
      seen.broken.push(signal.aborted ? signal.reason : cause);
      throw cause;
    }
  };
  router.service(DatasetService, {
    extract: async (requests, { signal }) => ({ job: job(await receive(requests, signal)) }),
    vectorizeDataset: ({ id }) => ({ job: job(id) }),
    listDatasets: ({ type, sort, offset, limit: maxCount }) => ({
      total: type.length,
      data: [
        {
          id: `${sort.join("|")} ${offset} ${maxCount}`,
          type: type[0] ?? DatasetType.DOC,
          createdAt: 1,
          fileSize: 2 ** 40,
        },
      ],
    }),
    deleteDataset: ({ id }) => ({ deleted: { id, freedBytes: 5 } }),
  });
  router.service(MemberService, {
    acceptInvitation({ token }) {
      if (token !== "good") throw forbidden("this invitation is not valid");
      return { session: { token: "personal" } };
    },
  });
  router.service(ItemService, {
    listItems: ({ datasetId, row, cols }) => ({
      sort: ["-createdAt"],
      limit: 10,
      total: 1,
      data: [{ id: cols.join("|"), col: 1, row: row ?? ItemRow.JPG, createdAt: 1, datasetId }],
    }),
  });
  router.service(JobService, {
    listJobs: ({ statuses }) => ({ statuses, total: statuses.length }),
    async getJob({ id }, { values }) {
      const failure = failures[id]?.();
      if (failure !== undefined) throw failure;
      if (id === "slow") {
        seen.slow += 1;
        await sleep(300);
      }
      return { job: { ...job(id), datasetId: values.get(callerKey)?.workspaceId ?? "" } };
    },
    async *watchJob({ id, afterRevision }, { signal }) {
      if (id === "missing") throw notFound("there is no job missing");
      seen.watching += 1;
      try {
        const first = Number(afterRevision || "0") + 1;
        for (let revision = first; revision < first + 3; revision++) yield { job: job(id), revision: String(revision) };
        if (id === "broken") throw conflict("the job is broken");
        if (id === "endless") await sleep(3_600_000, undefined, { signal });
      } catch (cause) {
        throw signal.aborted ? signal.reason : cause;
      } finally {
        seen.watching -= 1;
      }
    },
  });
  router.service(SearchService, {
    search: ({ query, datasetIds }) => ({
      total: 1,
      data: [
        {
          id: `${query?.text}/${query?.imageUrl}/${datasetIds.join("|")}`,
          col: 1,
          row: ItemRow.JPG,
          createdAt: 1,
          score: 0.5,
        },
      ],
    }),
  });
  router.service(ShareService, {
    readShare() {
      throw forbidden("this link is not valid");
    },
  });
  router.service(WorkspaceService, {});
}

async function upload(requests: AsyncIterable<ExtractRequest>, seen: Seen, limit: number): Promise<string> {
  const hash = createHash("sha256");
  const received = { fileName: "", size: 0, expiresInDays: undefined as number | undefined, url: "" };
  for await (const { file, fileName, url, expiresInDays } of requests) {
    seen.messages += 1;
    seen.largestMessage = Math.max(seen.largestMessage, file.length);
    received.fileName ||= fileName;
    received.url ||= url;
    received.expiresInDays ??= expiresInDays;
    received.size += file.length;
    hash.update(file);
    if (received.fileName === "stall.pdf" && received.size > 0) await seen.stall;
    if (received.size > limit) throw tooLarge("the file is too large");
  }
  if (received.fileName === "" && received.size === 0 && received.url === "")
    throw invalid("give the document as file");
  const sha256 = hash.digest("hex");
  seen.uploads.push({ ...received, sha256 });
  return sha256;
}

/** The workspace of each link; every link has its own. */
const owners = new Map<string, WorkspaceId>();

const openShare: TransportOptions["openShare"] = async ({ id, token, embedding, admit }) => {
  if (token !== "good") throw forbidden("this link is not valid or has expired; ask for a new one");
  const owner = owners.get(id) ?? newWorkspaceId();
  owners.set(id, owner);
  admit(owner);
  const content: SharedContent = {
    contentType: embedding === "binary" ? "application/octet-stream" : "text/html",
    fileName: id === "named" ? 'Über "uns" 100%.pdf' : "page.txt",
    size: sharedBytes.length,
    etag: "tag",
    modifiedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    open: async (range) => pieces(range === undefined ? sharedBytes : sharedBytes.subarray(range.start, range.end + 1)),
  };
  return id.startsWith("endless") ? { ...content, size: 2 ** 30, open: async () => endless() } : content;
};

/** The number of endless bodies that are open now. */
export const openBodies = { count: 0 };

async function* endless(): AsyncGenerator<Uint8Array> {
  openBodies.count += 1;
  try {
    for (;;) yield new Uint8Array(65_536);
  } finally {
    openBodies.count -= 1;
  }
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
}
