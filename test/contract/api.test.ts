import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import type { Api, MethodName, Outcome, Upload } from "./api.ts";
import { createWorld, type World, zooPages } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

const unknownDataset = "ds_01jzzzzzzzzzzzzzzzzzzzzzzz";
const unknownJob = "dsj_01jzzzzzzzzzzzzzzzzzzzzzzz";
const onePage = makePdf({ pages: [{ text: "A single page about lighthouses." }] });
const time = expect.any(Number);
const share = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/share\/dsx?_\w+\?token=[\w.-]+$/),
  token: expect.any(String),
  expiresAt: time,
};

function bodyOf(outcome: Outcome): JsonObject {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome.body;
}

function objectAt(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${name} is no object`);
  return value;
}

function listAt(body: JsonObject, name: string): JsonObject[] {
  const value = body[name];
  if (!Array.isArray(value)) throw new Error(`${name} is no list`);
  return value.map((element: JsonValue) => objectAt({ element }, "element"));
}

const protocols = ["REST", "Connect", "gRPC", "gRPC-Web"] as const;

describe.each(protocols)("%s", (protocol) => {
  let api: Api;
  beforeAll(() => {
    const found = world.apis.find((candidate) => candidate.protocol === protocol);
    if (found === undefined) throw new Error(`no face for ${protocol}`);
    api = found;
  });

  /** A request may name things of the world, which exists only when the test runs. */
  type Request = JsonObject | ((world: World) => JsonObject);
  const requestOf = (request: Request): JsonObject => (typeof request === "function" ? request(world) : request);

  async function refused(method: MethodName, request: Request, code: string, message: RegExp): Promise<void> {
    const outcome = await api.call(method, requestOf(request));
    expect(outcome).toMatchObject({ ok: false, code, message: expect.stringMatching(message) });
  }

  async function uploaded(
    method: "extract" | "vectorize",
    upload: Upload = { file: onePage, fileName: "one.pdf" },
  ): Promise<JsonObject> {
    return objectAt(bodyOf(await api.upload(method, upload)), "job");
  }

  async function finished(job: JsonObject): Promise<JsonObject> {
    const states = await api.watch(String(job["id"]));
    return objectAt(states.at(-1) ?? {}, "job");
  }

  describe("uploads", () => {
    test.each(["extract", "vectorize"] as const)("%s answers with the job", async (method) => {
      const job = await uploaded(method);
      expect(job).toMatchObject({
        id: expect.stringMatching(/^dsj_\w{26}$/),
        datasetId: expect.stringMatching(/^ds_\w{26}$/),
        type: `datasets/${method}`,
        status: "IN_PROGRESS",
        createdAt: time,
      });
      expect(job["statusText"] ?? null).toBeNull();
      expect(job["finishedAt"] ?? null).toBeNull();
      expect(await finished(job)).toMatchObject({
        status: "SUCCESS",
        statusText: "",
        startedAt: time,
        finishedAt: time,
      });
    });

    test("expiresInDays sets when the dataset expires, wherever it stands in the request", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "one.pdf", expiresInDays: 2 });
      const dataset = objectAt(bodyOf(await api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(Number(dataset["expiresAt"]) - Number(dataset["createdAt"])).toBe(2 * 86_400_000);
    });

    test("expiresInDays -1 means never", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "one.pdf", expiresInDays: -1 });
      const dataset = objectAt(bodyOf(await api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(dataset["expiresAt"] ?? null).toBeNull();
    });

    test("a file name with a path keeps only its last part", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "../../etc/pass wd.pdf" });
      const dataset = objectAt(bodyOf(await api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(dataset).toMatchObject({
        fileName: "pass wd.pdf",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: onePage.length,
      });
    });

    const refusals: [string, Upload, string, RegExp][] = [
      ["neither file nor url", {}, "INVALID_ARGUMENT", /file/],
      ["file and url", { file: onePage, url: "http://example.org/a.pdf" }, "INVALID_ARGUMENT", /not both/],
      ["an empty file", { file: new Uint8Array(), fileName: "a.pdf" }, "INVALID_ARGUMENT", /empty/],
      ["a picture", { file: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") }, "INVALID_ARGUMENT", /PNG/],
      ["plain text named pdf", { file: Buffer.from("hello"), fileName: "a.pdf" }, "INVALID_ARGUMENT", /plain text/],
      [
        "a file over the limit",
        { file: Buffer.concat([onePage, Buffer.alloc(2 ** 20)]) },
        "RESOURCE_EXHAUSTED",
        /larger than 1 MB/,
      ],
      ["expiresInDays 0", { file: onePage, expiresInDays: 0 }, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays -2", { file: onePage, expiresInDays: -2 }, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays of a million", { file: onePage, expiresInDays: 1e6 }, "INVALID_ARGUMENT", /expiresInDays/],
    ];
    test.each(refusals)("%s is refused", async (_, upload, code, message) => {
      const outcome = await api.upload("extract", upload);
      expect(outcome).toMatchObject({ ok: false, code, message: expect.stringMatching(message) });
    });

    test("a refused upload leaves no dataset behind", async () => {
      const total = async (): Promise<JsonValue | undefined> =>
        bodyOf(await api.call("listDatasets", { limit: 1 }))["total"];
      const before = await total();
      await api.upload("extract", { file: Buffer.concat([onePage, Buffer.alloc(2 ** 20)]) });
      expect(await total()).toBe(before);
    });

    test("a document that only parsing shows to be broken ends in ERROR with the reason", async () => {
      const job = await finished(await uploaded("extract", { file: Buffer.from("%PDF-1.7\nnothing else") }));
      expect(job).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/damaged|not a PDF/) });
    });

    test("a document with a password ends in ERROR with the reason", async () => {
      const job = await finished(
        await uploaded("vectorize", { file: makePdf({ pages: [{ text: "secret" }], encrypted: true }) }),
      );
      expect(job).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/password/) });
    });
  });

  describe("vectorizeDataset", () => {
    test("makes an extracted dataset searchable, once", async () => {
      const { datasetId } = await finished(await uploaded("extract"));
      const job = objectAt(bodyOf(await api.call("vectorizeDataset", { id: String(datasetId) })), "job");
      expect(job).toMatchObject({ type: "datasets/vectorize", status: "IN_PROGRESS", datasetId });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS" });
      const found = listAt(
        bodyOf(await api.call("search", { query: "lighthouse", datasetIds: [String(datasetId)] })),
        "data",
      );
      expect(found).toHaveLength(1);
      await refused("vectorizeDataset", { id: String(datasetId) }, "ALREADY_EXISTS", /has been vectorized/);
    });

    test("is refused for a vectorized dataset", () =>
      refused("vectorizeDataset", (w) => ({ id: w.zoo }), "ALREADY_EXISTS", /vectorized/));
    test("knows no unknown dataset", () =>
      refused("vectorizeDataset", { id: unknownDataset }, "NOT_FOUND", /no dataset/));
    test("knows no foreign dataset", () =>
      refused("vectorizeDataset", (w) => ({ id: w.foreign }), "NOT_FOUND", /no dataset/));
  });

  describe("datasets", () => {
    test("getDataset answers with every field", async () => {
      const dataset = objectAt(bodyOf(await api.call("getDataset", { id: world.zoo })), "dataset");
      expect(dataset).toMatchObject({
        id: world.zoo,
        workspaceId: world.workspaceId,
        type: "doc",
        itemCount: zooPages.length,
        fileName: "zoo.pdf",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: time,
        createdAt: time,
        share,
      });
    });

    test("getDataset takes the lifetime of the link", async () => {
      const before = Date.now();
      const { share: link } = objectAt(
        bodyOf(await api.call("getDataset", { id: world.zoo, expiresInSeconds: 5 })),
        "dataset",
      );
      const expiresAt = Number(objectAt({ link: link ?? null }, "link")["expiresAt"]);
      expect(expiresAt).toBeGreaterThan(before);
      expect(expiresAt).toBeLessThanOrEqual(Date.now() + 5_000);
    });

    test.each([
      ["an unknown one", () => ({ id: unknownDataset })],
      ["a foreign one", (w: World) => ({ id: w.foreign })],
      ["what is no id", () => ({ id: "../../etc/passwd" })],
      ["another kind of id", (w: World) => ({ id: w.zooJob })],
    ])("getDataset does not find %s", (_, request) => refused("getDataset", request, "NOT_FOUND", /no dataset/));

    test("a foreign and an unknown dataset are refused with the same words", async () => {
      const [foreign, unknown] = await Promise.all([
        api.call("getDataset", { id: world.foreign }),
        api.call("getDataset", { id: unknownDataset }),
      ]);
      if (foreign.ok || unknown.ok) throw new Error("both must be refused");
      expect(foreign.message.replace(world.foreign, "ID")).toBe(unknown.message.replace(unknownDataset, "ID"));
    });

    test("listDatasets lists the workspace's own, newest first", async () => {
      const body = bodyOf(await api.call("listDatasets", { limit: 100 }));
      const data = listAt(body, "data");
      expect(body["total"]).toBe(data.length);
      const ids = data.map(({ id }) => id);
      expect(ids).toContain(world.zoo);
      expect(ids).not.toContain(world.foreign);
      const times = data.map(({ createdAt }) => Number(createdAt));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(data[0]).toMatchObject({ share });
    });

    test("listDatasets pages without gaps or repeats", async () => {
      const all = listAt(bodyOf(await api.call("listDatasets", { limit: 100, sort: ["createdAt"] })), "data").map(
        ({ id }) => id,
      );
      const paged: unknown[] = [];
      for (let offset = 0; offset < all.length; offset += 2) {
        const page = bodyOf(await api.call("listDatasets", { limit: 2, offset, sort: ["createdAt"] }));
        paged.push(...listAt(page, "data").map(({ id }) => id));
      }
      expect(paged.slice(0, all.length)).toEqual(all);
    });

    test.each(["createdAt", "-createdAt", "fileName", "-fileName", "fileSize", "itemCount", "updatedAt", "-expiresAt"])(
      "listDatasets sorts by %s",
      async (sort) => {
        const property = sort.replace("-", "");
        const values = listAt(bodyOf(await api.call("listDatasets", { limit: 100, sort: [sort] })), "data")
          .map((dataset) => dataset[property] ?? null)
          .filter((value) => value !== null);
        const ordered = values.toSorted((a, b) =>
          typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1,
        );
        expect(values).toEqual(sort.startsWith("-") ? ordered.toReversed() : ordered);
      },
    );

    test("listDatasets filters by type", async () => {
      expect(bodyOf(await api.call("listDatasets", { type: ["audio", "video"] }))).toMatchObject({
        total: 0,
        data: [],
      });
      expect(Number(bodyOf(await api.call("listDatasets", { type: ["doc", "image"] }))["total"])).toBeGreaterThan(0);
    });

    test("listDatasets ends with an empty page", async () => {
      expect(listAt(bodyOf(await api.call("listDatasets", { offset: 100_000 })), "data")).toEqual([]);
    });

    test.each<[string, JsonObject, RegExp]>([
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
      ["an unknown sort property", { sort: ["size"] }, /cannot sort by "size"/],
      ["an unknown type", { type: ["book"] }, /type|book/],
      ["a link lifetime of 0", { expiresInSeconds: 0 }, /expiresInSeconds/],
      ["a link lifetime above a week", { expiresInSeconds: 604_801 }, /expiresInSeconds/],
    ])("listDatasets refuses %s", (_, request, message) =>
      refused("listDatasets", request, "INVALID_ARGUMENT", message),
    );

    test("deleteDataset removes the dataset from every answer", async () => {
      const { datasetId } = await finished(await uploaded("vectorize"));
      const id = String(datasetId);
      const deleted = objectAt(bodyOf(await api.call("deleteDataset", { id })), "deleted");
      expect(deleted).toMatchObject({ id, freedBytes: expect.any(Number) });
      expect(Number(deleted["freedBytes"])).toBeGreaterThanOrEqual(onePage.length);
      await refused("getDataset", { id }, "NOT_FOUND", /no dataset/);
      await refused("listItems", { datasetId: id }, "NOT_FOUND", /no dataset/);
      await refused("search", { query: "lighthouse", datasetIds: [id] }, "NOT_FOUND", /no dataset/);
      await refused("deleteDataset", { id }, "NOT_FOUND", /no dataset/);
    });

    test("deleteDataset does not reach a foreign dataset", () =>
      refused("deleteDataset", (w) => ({ id: w.foreign }), "NOT_FOUND", /no dataset/));
  });

  describe("listItems", () => {
    test("answers with the order and limits in force", async () => {
      const body = bodyOf(await api.call("listItems", { datasetId: world.plain }));
      expect(body).toMatchObject({ sort: ["-createdAt"], offset: 0, limit: 10, total: 6 });
      expect(listAt(body, "data")[0]).toMatchObject({
        id: expect.stringMatching(/^dsx_/),
        col: time,
        row: expect.stringMatching(/^(pdf|jpg)$/),
        createdAt: time,
        share,
      });
    });

    test("a vectorized dataset has embeddings as well", async () => {
      const body = bodyOf(await api.call("listItems", { datasetId: world.zoo, row: "embedding_image", sort: ["col"] }));
      expect(body["total"]).toBe(zooPages.length);
      expect(listAt(body, "data").map(({ col, row }) => [col, row])).toEqual(
        zooPages.map((_, index) => [index + 1, "embedding_image"]),
      );
    });

    test.each<[JsonValue, number[]]>([
      [["2"], [2]],
      [["2:4"], [2, 3, 4]],
      [
        ["1:2", "5"],
        [1, 2, 5],
      ],
      [["4:"], [4, 5]],
      [[":2"], [1, 2]],
      [
        [" 1 : 2 ", " 5 "],
        [1, 2, 5],
      ],
      [
        ["2:3", "3:4"],
        [2, 3, 4],
      ],
      [["9"], []],
      [["5:99"], [5]],
    ])("cols %j selects pages %j", async (cols, pages) => {
      const body = bodyOf(
        await api.call("listItems", { datasetId: world.zoo, row: "jpg", cols, sort: ["col"], limit: 100 }),
      );
      expect(listAt(body, "data").map(({ col }) => col)).toEqual(pages);
      expect(body["total"]).toBe(pages.length);
    });

    test.each(["0", "0:2", "4:2", "x", "1-2", "-1", ":"])("cols %j is refused", (cols) =>
      refused("listItems", (w) => ({ datasetId: w.zoo, cols: [cols] }), "INVALID_ARGUMENT", /cols/),
    );

    test.each([
      ["col", [1, 1, 2, 2, 3, 3]],
      ["-col", [3, 3, 2, 2, 1, 1]],
    ] as const)("sorts by %s", async (sort, pages) => {
      const body = bodyOf(await api.call("listItems", { datasetId: world.plain, sort: [sort] }));
      expect(listAt(body, "data").map(({ col }) => col)).toEqual(pages);
    });

    test("pages without gaps or repeats in the default order", async () => {
      const all = listAt(bodyOf(await api.call("listItems", { datasetId: world.zoo, limit: 100 })), "data").map(
        ({ id }) => id,
      );
      expect(new Set(all).size).toBe(zooPages.length * 3);
      const paged: unknown[] = [];
      for (let offset = 0; offset < all.length; offset += 4) {
        paged.push(
          ...listAt(bodyOf(await api.call("listItems", { datasetId: world.zoo, limit: 4, offset })), "data").map(
            ({ id }) => id,
          ),
        );
      }
      expect(paged).toEqual(all);
    });

    test.each<[string, JsonObject, RegExp]>([
      ["an unknown row", { row: "gif" }, /row|gif/],
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
      ["an unknown sort property", { sort: ["score"] }, /cannot sort by "score"/],
      ["a link lifetime above a week", { expiresInSeconds: 604_801 }, /expiresInSeconds/],
    ])("refuses %s", (_, request, message) =>
      refused("listItems", (w) => ({ datasetId: w.zoo, ...request }), "INVALID_ARGUMENT", message),
    );

    test("knows no unknown dataset", () =>
      refused("listItems", { datasetId: unknownDataset }, "NOT_FOUND", /no dataset/));
    test("knows no foreign dataset", () =>
      refused("listItems", (w) => ({ datasetId: w.foreign }), "NOT_FOUND", /no dataset/));
  });

  describe("jobs", () => {
    test("getJob answers with every field", async () => {
      const job = objectAt(bodyOf(await api.call("getJob", { id: world.zooJob })), "job");
      expect(job).toMatchObject({
        id: world.zooJob,
        datasetId: world.zoo,
        type: "datasets/vectorize",
        status: "SUCCESS",
        statusText: "",
        startedAt: time,
        finishedAt: time,
        createdAt: time,
        updatedAt: time,
        progress: { stage: "done", pagesDone: zooPages.length, pagesTotal: zooPages.length },
        failures: [],
      });
      expect(job["canceledAt"] ?? null).toBeNull();
    });

    test("getJob knows no unknown job", () => refused("getJob", { id: unknownJob }, "NOT_FOUND", /no job/));
    test("getJob knows no foreign job", () => refused("getJob", (w) => ({ id: w.foreignJob }), "NOT_FOUND", /no job/));

    test("listJobs lists the workspace's own, newest first", async () => {
      const body = bodyOf(await api.call("listJobs", { limit: 100 }));
      expect(body).toMatchObject({
        sort: ["-createdAt"],
        orderBy: ["-createdAt"],
        statuses: [],
        offset: 0,
        limit: 100,
      });
      const data = listAt(body, "data");
      expect(body["total"]).toBe(data.length);
      expect(data.map(({ id }) => id)).toContain(world.plainJob);
      expect(data.map(({ id }) => id)).not.toContain(world.foreignJob);
      const times = data.map(({ createdAt }) => Number(createdAt));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    });

    test("listJobs filters by statuses", async () => {
      const body = bodyOf(await api.call("listJobs", { statuses: ["SUCCESS", "IN_QUEUE"], limit: 100 }));
      expect(body["statuses"]).toEqual(["SUCCESS", "IN_QUEUE"]);
      expect(new Set(listAt(body, "data").map(({ status }) => status))).toEqual(new Set(["SUCCESS"]));
    });

    test("listJobs takes offset and limit", async () => {
      const all = listAt(bodyOf(await api.call("listJobs", { limit: 100, statuses: ["SUCCESS"] })), "data").map(
        ({ id }) => id,
      );
      const page = bodyOf(await api.call("listJobs", { limit: 1, offset: 1, statuses: ["SUCCESS"] }));
      expect(page).toMatchObject({ limit: 1, offset: 1, total: all.length });
      expect(listAt(page, "data").map(({ id }) => id)).toEqual(all.slice(1, 2));
    });

    test.each<[string, JsonObject, RegExp]>([
      ["an unknown status", { statuses: ["DONE"] }, /status|DONE/i],
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
    ])("listJobs refuses %s", (_, request, message) => refused("listJobs", request, "INVALID_ARGUMENT", message));

    test("watchJob ends with the final state", async () => {
      const states = await api.watch(world.zooJob);
      expect(states).toHaveLength(1);
      expect(states[0]).toMatchObject({
        job: { id: world.zooJob, status: "SUCCESS" },
        revision: expect.stringMatching(/^\d+$/),
      });
    });

    test("watchJob shows the way from upload to success, and can be resumed", async () => {
      const job = await uploaded("vectorize");
      const states = await api.watch(String(job["id"]));
      const revisions = states.map(({ revision }) => Number(revision));
      expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
      expect(states.at(-1)).toMatchObject({ job: { status: "SUCCESS" } });
      const resumed = await api.watch(String(job["id"]), String(revisions[0]));
      expect(resumed.at(-1)).toMatchObject({ job: { status: "SUCCESS" } });
    });

    test("cancelJob refuses a finished job", () =>
      refused("cancelJob", (w) => ({ id: w.zooJob }), "ALREADY_EXISTS", /already ended/));
    test("cancelJob knows no foreign job", () =>
      refused("cancelJob", (w) => ({ id: w.foreignJob }), "NOT_FOUND", /no job/));
  });

  describe("search", () => {
    const rank = async (request: JsonObject): Promise<JsonObject[]> =>
      listAt(bodyOf(await api.call("search", request)), "data");

    test.each([
      ["a string", "Which birds swim well but cannot fly?", 1],
      ["an object", { text: "largest animal on land" }, 2],
    ])("takes the query as %s", async (_, query, page) => {
      const found = await rank({ query });
      expect(found[0]).toMatchObject({ datasetId: world.zoo, col: page, row: "jpg", score: expect.any(Number), share });
    });

    test("scores lie in 0..1 and fall", async () => {
      const scores = (await rank({ query: "animals that hunt insects at night", datasetIds: [world.zoo] })).map(
        ({ score }) => Number(score),
      );
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    });

    test("limit caps the results, and total counts them", async () => {
      const body = bodyOf(await api.call("search", { query: "animals", limit: 2, datasetIds: [world.zoo] }));
      expect(body["total"]).toBe(2);
      expect(listAt(body, "data")).toHaveLength(2);
    });

    test.each(["pdf", "embedding_image"])("row %s returns these items", async (row) => {
      expect((await rank({ query: "penguins", row }))[0]).toMatchObject({ row, col: 1 });
    });

    test("never finds another workspace's pages", async () => {
      const found = await rank({ query: zooPages[0] ?? "", limit: 100 });
      expect(found.length).toBeGreaterThan(0);
      expect(found.map(({ datasetId }) => datasetId)).not.toContain(world.foreign);
    });

    test("an extracted dataset has nothing to find", async () => {
      expect(await rank({ query: "one two three", datasetIds: [world.plain] })).toEqual([]);
    });

    test("a picture of a page finds the page", async () => {
      const items = listAt(
        bodyOf(await api.call("listItems", { datasetId: world.zoo, row: "jpg", cols: ["3"] })),
        "data",
      );
      const picture = await fetch(String(objectAt(items[0] ?? {}, "share")["url"]));
      const data = Buffer.from(await picture.arrayBuffer()).toString("base64");
      const found = await rank({ query: { image_url: `data:image/jpeg;base64,${data}` }, datasetIds: [world.zoo] });
      expect(found[0]).toMatchObject({ col: 3 });
    });

    test("a share link of this server is a picture as well, also beside text", async () => {
      const items = listAt(
        bodyOf(await api.call("listItems", { datasetId: world.zoo, row: "jpg", cols: ["4"] })),
        "data",
      );
      const url = String(objectAt(items[0] ?? {}, "share")["url"]);
      expect((await rank({ query: { image_url: url, text: "bats" }, datasetIds: [world.zoo] }))[0]).toMatchObject({
        col: 4,
      });
    });

    test.each<[string, JsonObject, string, RegExp]>([
      ["no query", {}, "INVALID_ARGUMENT", /query/],
      ["an empty query", { query: "" }, "INVALID_ARGUMENT", /query/],
      ["an empty object", { query: {} }, "INVALID_ARGUMENT", /query/],
      ["only white space", { query: " \n" }, "INVALID_ARGUMENT", /query/],
      ["a limit of 0", { query: "a", limit: 0 }, "INVALID_ARGUMENT", /limit/],
      ["a limit of 101", { query: "a", limit: 101 }, "INVALID_ARGUMENT", /limit/],
      ["an unknown row", { query: "a", row: "gif" }, "INVALID_ARGUMENT", /row|gif/],
      ["an unknown dataset", { query: "a", datasetIds: [unknownDataset] }, "NOT_FOUND", /no dataset/],
      ["a text that is too long", { query: "a".repeat(8193) }, "INVALID_ARGUMENT", /text/],
      ["a data URL that is none", { query: { image_url: "data:image/png,abc" } }, "INVALID_ARGUMENT", /data URL/],
      [
        "a data URL of text",
        { query: { image_url: "data:text/plain;base64,aGVsbG8=" } },
        "INVALID_ARGUMENT",
        /media type/,
      ],
      [
        "a picture that is none",
        { query: { image_url: "data:image/png;base64,aGVsbG8=" } },
        "INVALID_ARGUMENT",
        /picture|image/,
      ],
      [
        "a private address",
        { query: { image_url: "http://10.0.0.1/a.png" } },
        "INVALID_ARGUMENT",
        /not a public address/,
      ],
      ["a file address", { query: { image_url: "file:///etc/passwd" } }, "INVALID_ARGUMENT", /http/],
    ])("refuses %s", (_, request, code, message) => refused("search", request, code, message));

    test("refuses a foreign dataset like an unknown one", () =>
      refused("search", (w) => ({ query: "penguins", datasetIds: [w.zoo, w.foreign] }), "NOT_FOUND", /no dataset/));
  });

  describe("workspaces and keys", () => {
    const name = `team-${protocol}`;

    test("a workspace is created once and listed", async () => {
      const workspace = objectAt(bodyOf(await api.call("createWorkspace", { name })), "workspace");
      expect(workspace).toMatchObject({
        id: expect.stringMatching(/^ws_/),
        organisationId: expect.stringMatching(/^org_/),
        name,
        createdAt: time,
      });
      expect(listAt(bodyOf(await api.call("listWorkspaces", {})), "data")).toContainEqual(workspace);
      await refused("createWorkspace", { name }, "ALREADY_EXISTS", /already has a workspace/);
    });

    test.each(["", "with space", "../up", "a".repeat(65)])("the workspace name %j is refused", (bad) =>
      refused("createWorkspace", { name: bad }, "INVALID_ARGUMENT", /name/),
    );

    test("a key is shown once, works, is listed without its secret, and stops working when revoked", async () => {
      const created = objectAt(bodyOf(await api.call("createKey", { name: "ci", scopes: ["read"] })), "key");
      expect(created).toMatchObject({
        id: expect.any(String),
        key: expect.stringMatching(/^drs_/),
        workspaceId: world.workspaceId,
        name: "ci",
        scopes: ["read"],
      });
      const key = String(created["key"]);
      bodyOf(await api.call("listDatasets", {}, { key }));
      const listed = listAt(bodyOf(await api.call("listKeys", {})), "data").find(({ id }) => id === created["id"]);
      expect(listed).toMatchObject({ name: "ci" });
      expect(listed).not.toHaveProperty("key");
      const revoked = objectAt(bodyOf(await api.call("revokeKey", { id: String(created["id"]) })), "key");
      expect(revoked["revokedAt"]).toEqual(time);
      expect(await api.call("listDatasets", {}, { key })).toMatchObject({ ok: false, code: "UNAUTHENTICATED" });
    });

    test("a key of an unknown workspace is not created", () =>
      refused("createKey", { workspace: "nowhere" }, "NOT_FOUND", /no workspace/));
    test("an unknown key is not revoked", () =>
      refused("revokeKey", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }, "NOT_FOUND", /no API key/));
  });

  describe("access", () => {
    const everywhere: [MethodName, Request][] = [
      ["listDatasets", {}],
      ["getDataset", (w) => ({ id: w.zoo })],
      ["listItems", (w) => ({ datasetId: w.zoo })],
      ["listJobs", {}],
      ["getJob", (w) => ({ id: w.zooJob })],
      ["cancelJob", (w) => ({ id: w.zooJob })],
      ["deleteDataset", (w) => ({ id: w.zoo })],
      ["vectorizeDataset", (w) => ({ id: w.plain })],
      ["search", { query: "a" }],
      ["createWorkspace", { name: "intruder" }],
      ["listWorkspaces", {}],
      ["createKey", {}],
      ["listKeys", {}],
      ["revokeKey", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }],
    ];

    test.each(everywhere)("%s needs a key, and one that is known", async (method, request) => {
      expect(await api.call(method, requestOf(request), { key: null })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
        message: expect.stringMatching(/x-api-key/),
      });
      expect(await api.call(method, requestOf(request), { key: "drs_wrong" })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
      });
    });

    test("an upload needs a key", async () => {
      expect(await api.upload("extract", { file: onePage }, { key: null })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
      });
    });

    test("a key can do what its scopes say and no more", async () => {
      const denied = { ok: false, code: "PERMISSION_DENIED", message: expect.stringMatching(/scope/) };
      const { readKey, writeKey, searchKey } = world;
      expect(await api.call("listDatasets", {}, { key: readKey })).toMatchObject({ ok: true });
      expect(await api.call("search", { query: "bats" }, { key: searchKey })).toMatchObject({ ok: true });
      expect(await api.upload("extract", { file: onePage }, { key: writeKey })).toMatchObject({ ok: true });
      expect(await api.call("search", { query: "bats" }, { key: readKey })).toMatchObject(denied);
      expect(await api.call("listDatasets", {}, { key: writeKey })).toMatchObject(denied);
      expect(await api.call("deleteDataset", { id: world.zoo }, { key: readKey })).toMatchObject(denied);
      expect(await api.upload("extract", { file: onePage }, { key: searchKey })).toMatchObject(denied);
      expect(await api.call("createKey", {}, { key: writeKey })).toMatchObject(denied);
    });

    test("every error carries a request id", async () => {
      const outcome = await api.call("getDataset", { id: unknownDataset });
      expect(outcome).toMatchObject({ ok: false, requestId: expect.stringMatching(/\S{8,}/) });
    });
  });
});
