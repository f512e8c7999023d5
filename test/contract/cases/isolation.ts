import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, listAt, objectAt, refusalOf } from "../answers.ts";
import type { MethodName } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownDataset, unknownJob, type World, zooPages } from "../world.ts";

/** Nothing of one workspace shows in another: neither what there is nor whether there is something. */
export function isolationCases(scene: Scene): void {
  const listed = async (method: "listDatasets" | "listJobs", key?: string): Promise<JsonObject[]> =>
    listAt(bodyOf(await scene.api.call(method, { limit: 100 }, key === undefined ? {} : { key })), "data");

  describe("isolation", () => {
    const byId: [MethodName, unknown: string, foreign: (w: World) => string, request: (id: string) => JsonObject][] = [
      ["vectorizeDataset", unknownDataset, (w) => w.foreign, (id) => ({ id })],
      ["getDataset", unknownDataset, (w) => w.foreign, (id) => ({ id })],
      ["deleteDataset", unknownDataset, (w) => w.foreign, (id) => ({ id })],
      ["listItems", unknownDataset, (w) => w.foreign, (id) => ({ datasetId: id })],
      ["search", unknownDataset, (w) => w.foreign, (id) => ({ query: "penguins", datasetIds: [id] })],
      ["getJob", unknownJob, (w) => w.foreignJob, (id) => ({ id })],
      ["cancelJob", unknownJob, (w) => w.foreignJob, (id) => ({ id })],
    ];
    test.each(byId)("%s refuses a foreign id like an unknown one", async (method, unknown, foreign, request) => {
      const refusal = async (id: string): Promise<object> => {
        const { code, message } = refusalOf(await scene.api.call(method, request(id)));
        return { code, message: message.replaceAll(id, "ID") };
      };
      const expected = await refusal(unknown);
      expect(expected).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("ID") });
      expect(await refusal(foreign(scene.world))).toEqual(expected);
    });

    test("watchJob refuses a foreign id like an unknown one", async () => {
      const refusal = async (id: string): Promise<object> => {
        const { code, message } = refusalOf(await scene.api.watch(id));
        return { code, message: message.replaceAll(id, "ID") };
      };
      const expected = await refusal(unknownJob);
      expect(expected).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("ID") });
      expect(await refusal(scene.world.foreignJob)).toEqual(expected);
    });

    test("what another workspace tries leaves a dataset and its running job alone", async () => {
      const { foreignKey: key } = scene.world;
      const file = makePdf({ pages: Array.from({ length: 40 }, (_, index) => ({ text: `walrus ${index}` })) });
      const job = objectAt(bodyOf(await scene.api.upload("vectorize", { file }, { key })), "job");
      const [id, datasetId] = [String(job["id"]), String(job["datasetId"])];
      refusalOf(await scene.api.call("cancelJob", { id }));
      refusalOf(await scene.api.call("deleteDataset", { id: datasetId }));
      refusalOf(await scene.api.call("vectorizeDataset", { id: datasetId }));
      const watched = await scene.api.watch(id, { key });
      expect(watched).toMatchObject({ ok: true });
      expect(watched.ok && watched.states.at(-1)).toMatchObject({ job: { status: "SUCCESS", datasetId } });
      const dataset = bodyOf(await scene.api.call("getDataset", { id: datasetId }, { key }));
      expect(dataset).toMatchObject({ dataset: { id: datasetId, itemCount: 40 } });
      bodyOf(await scene.api.call("deleteDataset", { id: datasetId }, { key }));
    });

    test("each workspace lists its own datasets and no other's", async () => {
      const [own, foreign] = await Promise.all([
        listed("listDatasets"),
        listed("listDatasets", scene.world.foreignKey),
      ]);
      expect(new Set(own.map(({ workspaceId }) => workspaceId))).toEqual(new Set([scene.world.workspaceId]));
      expect(foreign.map(({ id }) => id)).toContain(scene.world.foreign);
      expect(foreign.map(({ workspaceId }) => workspaceId)).not.toContain(scene.world.workspaceId);
    });

    test("each workspace lists its own jobs and no other's", async () => {
      const ids = (jobs: JsonObject[]): Set<JsonValue | undefined> => new Set(jobs.map(({ id }) => id));
      const own = ids(await listed("listJobs"));
      const foreign = ids(await listed("listJobs", scene.world.foreignKey));
      expect(foreign).toContain(scene.world.foreignJob);
      expect(own).toContain(scene.world.zooJob);
      expect([...own.intersection(foreign)]).toEqual([]);
    });

    test("each workspace finds its own pages and no other's", async () => {
      const { foreign, foreignKey: key } = scene.world;
      // All pages of both workspaces fit in one answer, so that only the border between them can hide any.
      const query = zooPages.join("\n");
      const found = listAt(bodyOf(await scene.api.call("search", { query, limit: 100 }, { key })), "data");
      expect(found.map(({ datasetId }) => datasetId)).toEqual([foreign]);
    });

    test("a new workspace is empty", async () => {
      const name = `empty-${scene.protocol}`;
      bodyOf(await scene.api.call("createWorkspace", { name }));
      const created = objectAt(bodyOf(await scene.api.call("createKey", { workspace: name })), "key");
      const key = String(created["key"]);
      expect(bodyOf(await scene.api.call("listDatasets", {}, { key }))).toMatchObject({ total: 0, data: [] });
      expect(bodyOf(await scene.api.call("listJobs", {}, { key }))).toMatchObject({ total: 0, data: [] });
      expect(bodyOf(await scene.api.call("search", { query: "penguins" }, { key }))).toMatchObject({
        total: 0,
        data: [],
      });
      const job = objectAt(bodyOf(await scene.api.upload("extract", { file: onePage }, { key })), "job");
      const { dataset } = bodyOf(await scene.api.call("getDataset", { id: String(job["datasetId"]) }, { key }));
      expect(dataset).toMatchObject({ workspaceId: created["workspaceId"] });
    });

    test("an ordinary key makes no keys, for its own workspace or another", async () => {
      const { foreignKey: key, workspaceId: workspace } = scene.world;
      for (const request of [{}, { workspace }, { workspace: "default" }, { scopes: ["admin"] }]) {
        expect(await scene.api.call("createKey", request, { key })).toMatchObject({ code: "PERMISSION_DENIED" });
      }
      expect(await scene.api.call("listKeys", {}, { key })).toMatchObject({ code: "PERMISSION_DENIED" });
    });
  });
}
