import type { JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf } from "../answers.ts";
import type { MethodName } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownDataset, unknownJob, unknownUpload } from "../world.ts";

/** A key that is bound to a filter: what it sees of its workspace, method by method. */
export function boundKeysCases(scene: Scene): void {
  const { refused, uploaded, finished } = scene;

  describe("a key that is bound to a filter", () => {
    const mine = () => ({ customer: `mine over ${scene.protocol}` });
    let key: string;
    /** Ids of a dataset that the key sees, and of one that it does not. */
    let seen: { dataset: string; job: string; upload: string };
    let hidden: { dataset: string; job: string; upload: string };

    const call = async (method: MethodName, request: JsonObject) => scene.api.call(method, request, { key });
    const start = async (metadata: JsonObject) => {
      const named = { fileName: "s.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      return objectAt(bodyOf(await scene.api.call("startUpload", { ...named, metadata })), "upload");
    };
    const make = async (metadata: JsonObject) => {
      const job = await finished(await uploaded("vectorize", { file: onePage, fileName: "b.pdf", metadata }));
      const upload = String((await start(metadata))["key"]);
      return { dataset: String(job["datasetId"]), job: String(job["id"]), upload };
    };
    beforeAll(async () => {
      const made = objectAt(bodyOf(await scene.api.call("createKey", { name: "bound", filter: mine() })), "key");
      expect(made["filter"]).toEqual(mine());
      key = String(made["key"]);
      seen = await make({ ...mine(), label: "seen" });
      hidden = await make({ customer: `other over ${scene.protocol}` });
    }, 60_000);

    /** The request of a method, by the ids that it is to reach. */
    const reaching: readonly (readonly [MethodName, (ids: typeof seen) => JsonObject])[] = [
      ["getDataset", ({ dataset }) => ({ id: dataset })],
      ["updateDataset", ({ dataset }) => ({ id: dataset, metadata: { touched: true } })],
      ["vectorizeDataset", ({ dataset }) => ({ id: dataset })],
      ["listItems", ({ dataset }) => ({ datasetId: dataset })],
      ["search", ({ dataset }) => ({ query: "lighthouses", datasetIds: [dataset] })],
      ["getJob", ({ job }) => ({ id: job })],
      ["cancelJob", ({ job }) => ({ id: job })],
      ["retryJob", ({ job }) => ({ id: job })],
      ["getUpload", ({ upload }) => ({ key: upload })],
      ["endUpload", ({ upload }) => ({ key: upload })],
      ["abortUpload", ({ upload }) => ({ key: upload })],
      ["deleteDataset", ({ dataset }) => ({ id: dataset })],
    ];
    const unknown = { dataset: unknownDataset, job: unknownJob, upload: unknownUpload };

    test.each(reaching)("%s answers for what it does not see as for what is not there", async (method, request) => {
      const [there, nowhere] = [await call(method, request(hidden)), await call(method, request(unknown))];
      const shown = (text: string) => text.replace(/"\w+"/g, "ID");
      const refusal = refusalOf(there);
      expect([refusal.code, shown(refusal.message)]).toEqual([
        refusalOf(nowhere).code,
        shown(refusalOf(nowhere).message),
      ]);
      expect(refusal.code).toBe("NOT_FOUND");
    });

    test("what it tried has changed nothing", async () => {
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id: hidden.dataset })), "dataset");
      expect(dataset["metadata"]).toEqual({ customer: `other over ${scene.protocol}` });
      bodyOf(await scene.api.call("getUpload", { key: hidden.upload }));
    });

    test("watching and parts reach no more", async () => {
      expect(await scene.api.watch(hidden.job, { key })).toMatchObject({ ok: false, code: "NOT_FOUND" });
      expect(await scene.api.watch(seen.job, { key })).toMatchObject({ ok: true });
      const part = { partNumber: 1, file: onePage };
      expect(await scene.api.appendPart({ key: hidden.upload, ...part }, { key })).toMatchObject({ code: "NOT_FOUND" });
      expect(await scene.api.appendPart({ key: seen.upload, ...part }, { key })).toMatchObject({ ok: true });
    });

    test("lists and searches have what it sees alone, whatever filter they are asked with", async () => {
      const datasets = async (request: JsonObject) => {
        const list = bodyOf(await call("listDatasets", { limit: 100, ...request }));
        expect(list["total"]).toBe(listAt(list, "data").length);
        return listAt(list, "data").map(({ id }) => id);
      };
      expect(await datasets({})).toEqual([seen.dataset]);
      for (const filter of [{}, { $not: { none: 1 } }, { $or: [{ customer: { $exists: true } }, mine()] }]) {
        expect(await datasets({ filter })).toEqual([seen.dataset]);
      }
      expect(await datasets({ filter: { customer: `other over ${scene.protocol}` } })).toEqual([]);
      const { sha256 } = objectAt(bodyOf(await call("getDataset", { id: seen.dataset })), "dataset");
      expect(await datasets({ sha256: [String(sha256)] })).toEqual([seen.dataset]);

      const jobs = bodyOf(await call("listJobs", { limit: 100 }));
      expect([jobs["total"], listAt(jobs, "data").map(({ id }) => id)]).toEqual([1, [seen.job]]);
      const uploads = bodyOf(await call("listUploads", { limit: 100 }));
      expect([uploads["total"], listAt(uploads, "data").map((upload) => upload["key"])]).toEqual([1, [seen.upload]]);

      for (const filter of [undefined, { $or: [{ customer: { $exists: true } }, { customer: { $exists: false } }] }]) {
        const asked = { query: "lighthouses", limit: 100, ...(filter && { filter }) };
        const found = listAt(bodyOf(await call("search", asked)), "data").map(({ datasetId }) => datasetId);
        expect(found).toEqual([seen.dataset]);
      }
    });

    test("it deletes no more than it sees", async () => {
      for (const request of [{ ids: [hidden.dataset] }, { filter: { customer: `other over ${scene.protocol}` } }]) {
        const deletion = objectAt(bodyOf(await call("deleteDatasets", { ...request, dryRun: false })), "deletion");
        expect([deletion["matching"] ?? 0, deletion["ids"] ?? []]).toEqual([0, []]);
      }
      expect(objectAt(bodyOf(await call("deleteDatasets", { filter: {} })), "deletion")).toMatchObject({
        matching: 1,
        ids: [seen.dataset],
      });
    });

    test("it makes only what it sees, and changes nothing out of its view", async () => {
      const outside = /bound to a filter/;
      const upload = async (metadata: JsonObject | undefined) =>
        scene.api.upload("extract", { file: onePage, fileName: "u.pdf", metadata }, { key });
      for (const metadata of [undefined, { customer: "another" }]) {
        const refusal = refusalOf(await upload(metadata));
        expect(refusal).toMatchObject({ code: "PERMISSION_DENIED", message: expect.stringMatching(outside) });
      }
      const fetching = { url: `${scene.world.files.url}/one.pdf` };
      expect(await scene.api.upload("extract", fetching, { key })).toMatchObject({ code: "PERMISSION_DENIED" });
      const named = { fileName: "s.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      expect(await call("startUpload", named)).toMatchObject({ code: "PERMISSION_DENIED" });
      const job = objectAt(bodyOf(await upload({ ...mine(), more: 1 })), "job");
      const id = String(job["datasetId"]);
      for (const metadata of [{ customer: null }, { customer: "another" }]) {
        expect(await call("updateDataset", { id, metadata })).toMatchObject({ code: "PERMISSION_DENIED" });
      }
      bodyOf(await call("updateDataset", { id, metadata: { more: 2 } }));
      bodyOf(await call("deleteDataset", { id }));
    });

    test("it makes nothing that has a value beside its own, in whichever way", async () => {
      const { customer } = mine();
      const several = { customer: [customer, "another"] };
      const outside = { code: "PERMISSION_DENIED", message: expect.stringMatching(/not every value/) };
      const upload = { file: onePage, fileName: "u.pdf", metadata: several };
      expect(await scene.api.upload("extract", upload, { key })).toMatchObject(outside);
      const fetching = { url: `${scene.world.files.url}/one.pdf`, metadata: several };
      expect(await scene.api.upload("vectorize", fetching, { key })).toMatchObject(outside);
      const named = { fileName: "s.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      expect(await call("startUpload", { ...named, metadata: several })).toMatchObject(outside);
      expect(await call("updateDataset", { id: seen.dataset, metadata: several })).toMatchObject(outside);
      bodyOf(await call("updateDataset", { id: seen.dataset, metadata: { customer: [customer, customer] } }));
      bodyOf(await call("updateDataset", { id: seen.dataset, metadata: mine() }));
    });

    test("what others see by another value of a list it reads, and does not change", async () => {
      const shared = await make({ customer: [mine().customer, "another"] });
      const { dataset: id } = shared;
      bodyOf(await call("getDataset", { id }));
      bodyOf(await call("getUpload", { key: shared.upload }));
      bodyOf(await call("getJob", { id: shared.job }));
      const outside = { code: "PERMISSION_DENIED", message: expect.stringMatching(/not every value/) };
      const plain = await finished(
        await uploaded("extract", { file: onePage, fileName: "p.pdf", metadata: { customer: [mine().customer, 2] } }),
      );
      const changes: readonly (readonly [MethodName, JsonObject])[] = [
        ["updateDataset", { id, metadata: mine() }],
        ["updateDataset", { id, fileName: "other.pdf" }],
        ["vectorizeDataset", { id: String(plain["datasetId"]) }],
        ["cancelJob", { id: shared.job }],
        ["retryJob", { id: shared.job }],
        ["endUpload", { key: shared.upload }],
        ["abortUpload", { key: shared.upload }],
        ["deleteDataset", { id }],
      ];
      for (const [method, request] of changes)
        expect([method, await call(method, request)]).toEqual([method, expect.objectContaining(outside)]);
      const part = { key: shared.upload, partNumber: 1, file: onePage };
      expect(await scene.api.appendPart(part, { key })).toMatchObject(outside);
      const version = { file: onePage, fileName: "v.pdf" };
      expect(await scene.api.replace(id, version, { key })).toMatchObject(outside);
      const address = { url: `${scene.world.files.url}/one.pdf` };
      expect(await scene.api.replace(id, address, { key })).toMatchObject(outside);
      const session = { fileName: "v.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "", datasetId: id };
      expect(await call("startUpload", session)).toMatchObject(outside);
      for (const request of [{ ids: [id] }, { filter: { customer: "another" } }]) {
        const deletion = objectAt(bodyOf(await call("deleteDatasets", { ...request, dryRun: false })), "deletion");
        expect([deletion["matching"] ?? 0, deletion["ids"] ?? [], deletion["remaining"] ?? 0]).toEqual([0, [], 0]);
      }
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
      expect(dataset).toMatchObject({ fileName: "b.pdf", metadata: { customer: [mine().customer, "another"] } });
      for (const gone of [id, String(plain["datasetId"])]) bodyOf(await scene.api.call("deleteDataset", { id: gone }));
      bodyOf(await scene.api.call("abortUpload", { key: shared.upload }));
    });

    test("a repetition of what another key has made is no answer to it", async () => {
      const upload = { file: onePage, fileName: "once.pdf", metadata: { customer: `other over ${scene.protocol}` } };
      const idempotencyKey = `bound-over-${scene.protocol}`;
      const first = objectAt(bodyOf(await scene.api.upload("extract", upload, { idempotencyKey })), "job");
      const again = await scene.api.upload("extract", upload, { key, idempotencyKey });
      expect(again).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      bodyOf(await scene.api.call("deleteDataset", { id: String(first["datasetId"]) }));
    });

    test("what it does not see it does not sum up either", async () => {
      expect(await call("getUsage", {})).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      for (const method of ["listKeys", "listWorkspaces", "createKey", "listAuditEvents"] as const) {
        expect(await call(method, {})).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      }
    });

    test("what changes into its view is seen at once, and what changes out of it is not any more", async () => {
      bodyOf(await scene.api.call("updateDataset", { id: hidden.dataset, metadata: mine() }));
      bodyOf(await call("getDataset", { id: hidden.dataset }));
      const other = { customer: `other over ${scene.protocol}` };
      bodyOf(await scene.api.call("updateDataset", { id: hidden.dataset, metadata: other }));
      expect(await call("getDataset", { id: hidden.dataset })).toMatchObject({ code: "NOT_FOUND" });
    });

    test("an upload session of a new version is seen as its dataset is", async () => {
      const job = await finished(
        await uploaded("extract", { file: onePage, fileName: "v.pdf", metadata: { ...mine(), version: 1 } }),
      );
      const id = String(job["datasetId"]);
      const start = { fileName: "v.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "", datasetId: id };
      const session = String(objectAt(bodyOf(await call("startUpload", start)), "upload")["key"]);
      const part = { key: session, partNumber: 1, file: onePage };
      bodyOf(await scene.api.appendPart(part, { key }));
      const listed = async () =>
        listAt(bodyOf(await call("listUploads", { limit: 100 })), "data").map((one) => one["key"]);
      expect(await listed()).toContain(session);
      bodyOf(await scene.api.call("updateDataset", { id, metadata: { customer: `other over ${scene.protocol}` } }));
      expect(await listed()).not.toContain(session);
      for (const method of ["getUpload", "endUpload", "abortUpload"] as const)
        expect(await call(method, { key: session })).toMatchObject({ code: "NOT_FOUND" });
      expect(await scene.api.appendPart(part, { key })).toMatchObject({ code: "NOT_FOUND" });
      bodyOf(await scene.api.call("updateDataset", { id, metadata: mine() }));
      expect(objectAt(bodyOf(await call("endUpload", { key: session })), "job")).toMatchObject({ datasetId: id });
      bodyOf(await scene.api.call("deleteDataset", { id }));
    });

    test("the key that takes its place is bound as it is", async () => {
      const made = objectAt(bodyOf(await scene.api.call("createKey", { filter: mine(), scopes: ["read"] })), "key");
      const next = objectAt(bodyOf(await scene.api.call("rotateKey", { id: String(made["id"]) })), "key");
      expect(next).toMatchObject({ filter: mine(), scopes: ["read"] });
      const listed = bodyOf(await scene.api.call("listDatasets", {}, { key: String(next["key"]) }));
      expect(listAt(listed, "data").map(({ id }) => id)).toEqual([seen.dataset]);
    });

    test.each<[string, JsonObject, RegExp]>([
      ["the scope admin", { filter: { a: 1 }, scopes: ["admin"] }, /admin scope cannot be bound/],
      ["everything", { filter: {} }, /passes everything/],
      ["no filter", { filter: { $a: 1 } }, /not an operator/],
    ])("a key is not bound to %s", (_, request, message) => refused("createKey", request, "INVALID_ARGUMENT", message));
  });
}
