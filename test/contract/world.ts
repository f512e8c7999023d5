import { file, type FileServer, stalled, startFileServer } from "../fixtures/file-server.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import type { Api } from "./api.ts";
import { restApi } from "./rest-api.ts";
import { rpcApi } from "./rpc-api.ts";

/** The data on the server for the contract cases: two workspaces of one organisation with documents in both. */
export interface World {
  readonly server: TestServer;
  /** A site with files to fetch: `/one.pdf`, `/page.pdf` which is HTML, `/stalled.pdf` which never ends. */
  readonly files: FileServer;
  readonly apis: readonly Api[];
  readonly workspaceId: string;
  /** Five pages, vectorized. */
  readonly zoo: string;
  readonly zooJob: string;
  /** Three pages, extracted only. */
  readonly plain: string;
  readonly plainJob: string;
  /** A dataset and a job that belong to the other workspace. */
  readonly foreign: string;
  readonly foreignJob: string;
  readonly foreignKey: string;
  /** Keys of the first workspace with one scope each. */
  readonly readKey: string;
  readonly writeKey: string;
  readonly searchKey: string;
  remove(): Promise<void>;
}

/** Ids as they are made, of nothing that there is. */
export const unknownDataset = "ds_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownJob = "dsj_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownUpload = "tmp_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownMember = "mem_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownInvitation = "inv_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownOrganisation = "org_01jzzzzzzzzzzzzzzzzzzzzzzz";
export const unknownKey = "01jzzzzzzzzzzzzzzzzzzzzzzz";

export const onePage = makePdf({ pages: [{ text: "A single page about lighthouses." }] });

/** Enough pages for its job to be still at work when the next request comes. */
export const longDocument = makePdf({
  pages: Array.from({ length: 1_200 }, (_, index) => ({ text: `Page ${index + 1}` })),
});

export const zooPages = [
  "Penguins of the southern ice\nPenguins are birds that cannot fly but swim very well.",
  "Elephants of the savanna\nElephants are the largest animals that live on land.",
  "Giraffes and acacia trees\nGiraffes eat leaves that no other animal can reach.",
  "Bats that hunt at night\nBats find insects in the dark with the echo of their calls.",
  "Salmon and their rivers\nSalmon swim up the river in which they were born.",
];

export async function createWorld(): Promise<World> {
  const server = await startServer({ maxUploadBytes: "1MB", maxDocumentBytes: "12MB", urlAllow: "127.0.0.1" });
  const files = await startFileServer({
    "/one.pdf": file(onePage),
    "/page.pdf": file(Buffer.from("<!doctype html><title>Sign in</title>")),
    "/stalled.pdf": stalled(onePage),
  });
  const { url } = server;
  const { apiKey, workspaceId } = server.credentials;
  const first = restApi(url, apiKey);
  const body = async (call: ReturnType<Api["call"]>): Promise<Record<string, unknown>> => {
    const outcome = await call;
    if (!outcome.ok) throw new Error(outcome.message);
    const [value] = Object.values(outcome.body);
    return Object(value);
  };
  const newKey = async (request: Record<string, string | string[]>): Promise<string> =>
    String((await body(first.call("createKey", request)))["key"]);

  await first.call("createWorkspace", { name: "other" });
  const foreignKey = await newKey({ workspace: "other", name: "other" });
  const other = restApi(url, foreignKey);

  const zoo = await body(
    first.upload("vectorize", { file: makePdf({ pages: zooPages.map((text) => ({ text })) }), fileName: "zoo.pdf" }),
  );
  const plain = await body(
    first.upload("extract", {
      file: makePdf({ pages: [{ text: "one" }, { text: "two" }, { text: "three" }] }),
      fileName: "plain.pdf",
    }),
  );
  const foreign = await body(
    other.upload("vectorize", { file: makePdf({ pages: [{ text: zooPages[0] ?? "" }] }), fileName: "foreign.pdf" }),
  );
  for (const [api, job] of [
    [first, zoo],
    [first, plain],
    [other, foreign],
  ] as const) {
    const watched = await api.watch(String(job["id"]));
    if (!watched.ok) throw new Error(watched.message);
    const last = watched.states.at(-1)?.["job"];
    if (Object(last)["status"] !== "SUCCESS") throw new Error(`a document was not processed: ${JSON.stringify(last)}`);
  }

  return {
    server,
    files,
    apis: [first, rpcApi("Connect", url, apiKey), rpcApi("gRPC", url, apiKey), rpcApi("gRPC-Web", url, apiKey)],
    workspaceId,
    zoo: String(zoo["datasetId"]),
    zooJob: String(zoo["id"]),
    plain: String(plain["datasetId"]),
    plainJob: String(plain["id"]),
    foreign: String(foreign["datasetId"]),
    foreignJob: String(foreign["id"]),
    foreignKey,
    readKey: await newKey({ name: "reader", scopes: ["read"] }),
    writeKey: await newKey({ name: "writer", scopes: ["write"] }),
    searchKey: await newKey({ name: "searcher", scopes: ["search"] }),
    async remove() {
      await server.remove();
      await files.close();
    },
  };
}
