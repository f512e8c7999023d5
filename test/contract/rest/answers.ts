import { describe, expect, test } from "vitest";
import { longDocument, onePage, zooPages } from "../world.ts";
import { listOf, objectOf, type RestClient } from "./client.ts";
import { apiKey, dataset, foundItem, item, job, moment, share, succeededJob, workspace } from "./shapes.ts";

/** The answers, field by field. */
export function answerCases(rest: RestClient): void {
  describe("answers", () => {
    test.each(["extract", "vectorize"])("POST /v1/%s", async (method) => {
      const { json } = await rest.form(`/v1/${method}`, [["file", onePage, "one.pdf"]]);
      const data = {
        ...job,
        type: `datasets/${method}`,
        status: "IN_PROGRESS",
        progress: { stage: "queue", pagesDone: 0, pagesTotal: 0 },
      };
      expect(json).toEqual({ success: true, total: 1, data });
    });

    test("POST /v1/datasets/:id/vectorize", async () => {
      const { datasetId } = await rest.uploaded([["file", onePage, "one.pdf"]]);
      const { json } = await rest.send(`/v1/datasets/${String(datasetId)}/vectorize`, { method: "POST" });
      const data = { ...job, datasetId, type: "datasets/vectorize", status: "IN_PROGRESS" };
      expect(json).toEqual({ success: true, total: 1, data });
    });

    test("GET /v1/jobs/:id, with its moments in order", async () => {
      const { json } = await rest.send(`/v1/jobs/${rest.world.zooJob}`);
      const [done, total] = [zooPages.length, zooPages.length];
      expect(json).toEqual({
        success: true,
        total: 1,
        data: {
          ...succeededJob,
          id: rest.world.zooJob,
          datasetId: rest.world.zoo,
          type: "datasets/vectorize",
          progress: { stage: "done", pagesDone: done, pagesTotal: total },
        },
      });
      const data = objectOf(objectOf(json)["data"]);
      const moments = ["createdAt", "startedAt", "finishedAt"].map((name) => Number(data[name]));
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      expect(Number(data["updatedAt"])).toBeGreaterThanOrEqual(Number(data["finishedAt"]));
    });

    test("GET /v1/jobs/:id of a failed one", async () => {
      const failed = await rest.uploaded([["file", Buffer.from("%PDF-1.7\nnothing else"), "bad.pdf"]]);
      const statusText = expect.stringMatching(/\S/);
      const progress = { stage: expect.any(String), pagesDone: 0, pagesTotal: 0 };
      expect(failed).toEqual({ ...succeededJob, status: "ERROR", statusText, progress });
    });

    test("POST /v1/jobs/:id/cancel", async () => {
      const { json } = await rest.form("/v1/vectorize", [["file", longDocument, "long.pdf"]]);
      const { id } = objectOf(objectOf(json)["data"]);
      const answer = await rest.send(`/v1/jobs/${String(id)}/cancel`, { method: "POST" });
      const canceled = {
        ...job,
        id,
        type: "datasets/vectorize",
        status: "ERROR",
        statusText: expect.stringMatching(/cancel/),
        startedAt: expect.toSatisfy((value: unknown) => value === null || typeof value === "number", "a time or null"),
        finishedAt: moment,
        canceledAt: moment,
        updatedAt: moment,
      };
      expect(answer.json).toEqual({ success: true, total: 1, data: canceled });
    });

    test("GET /v1/jobs", async () => {
      const { json } = await rest.send("/v1/jobs?statuses=SUCCESS,ERROR&limit=2&offset=1");
      expect(json).toEqual({
        statuses: ["SUCCESS", "ERROR"],
        sort: ["-createdAt"],
        orderBy: ["-createdAt"],
        total: expect.any(Number),
        offset: 1,
        limit: 2,
        data: expect.any(Array),
      });
      const data = listOf(objectOf(json)["data"]);
      expect(data.map((one) => Object.keys(one).toSorted())).toEqual(data.map(() => Object.keys(job).toSorted()));
    });

    test("GET /v1/datasets/:id", async () => {
      const { id, workspaceId } = { id: rest.world.zoo, workspaceId: rest.world.workspaceId };
      const { json } = await rest.send(`/v1/datasets/${id}`);
      const data = { ...dataset, id, workspaceId, itemCount: zooPages.length, fileName: "zoo.pdf" };
      expect(json).toEqual({ success: true, total: 1, data });
      const link = objectOf(objectOf(objectOf(json)["data"])["share"]);
      expect(link["url"]).toBe(`${rest.url}/v1/share/${id}?token=${String(link["token"])}`);
    });

    test("GET /v1/datasets", async () => {
      const { json } = await rest.send("/v1/datasets?type=doc&sort=createdAt&limit=2");
      const total = expect.any(Number);
      expect(json).toEqual({ success: true, total, data: [dataset, dataset] });
    });

    test("GET /v1/datasets/:id/items", async () => {
      const { json } = await rest.send(`/v1/datasets/${rest.world.plain}/items?sort=col,row&limit=3`);
      expect(json).toEqual({
        sort: ["col", "row"],
        offset: 0,
        limit: 3,
        total: 6,
        data: [
          { ...item, datasetId: rest.world.plain, col: 1, row: "jpg" },
          { ...item, datasetId: rest.world.plain, col: 1, row: "pdf" },
          { ...item, datasetId: rest.world.plain, col: 2, row: "jpg" },
        ],
      });
      const [first] = listOf(objectOf(json)["data"]);
      const link = objectOf(first?.["share"]);
      expect(link).toEqual(share);
      expect(link["url"]).toBe(`${rest.url}/v1/share/${String(first?.["id"])}?token=${String(link["token"])}`);
    });

    test("POST /v1/search", async () => {
      const { json } = await rest.post("/v1/search", { query: "penguins", limit: 2, datasetIds: [rest.world.zoo] });
      const found = { ...foundItem, datasetId: rest.world.zoo, row: "jpg" };
      expect(json).toEqual({ success: true, total: 2, data: [found, found] });
    });

    test("DELETE /v1/datasets/:id", async () => {
      const { datasetId: id } = await rest.uploaded([["file", onePage, "one.pdf"]]);
      const { json } = await rest.send(`/v1/datasets/${String(id)}`, { method: "DELETE" });
      expect(json).toEqual({ success: true, data: { id, freedBytes: expect.any(Number) } });
    });

    test("workspaces and keys", async () => {
      const created = await rest.post("/v1/admin/workspaces", { name: "shapes" });
      expect(created.json).toEqual({ success: true, total: 1, data: { ...workspace, name: "shapes" } });
      const { json: workspaces } = await rest.send("/v1/admin/workspaces");
      expect(workspaces).toEqual({ success: true, total: 3, data: [workspace, workspace, workspace] });
      const { json: key } = await rest.post("/v1/admin/keys", { workspace: "shapes" });
      const scopes = ["read", "write", "search"];
      const data = { ...apiKey, name: "", scopes };
      expect(key).toEqual({ success: true, total: 1, data: { ...data, key: expect.stringMatching(/^drs_/) } });
      const { json: keys } = await rest.send("/v1/admin/keys?workspace=shapes");
      expect(keys).toEqual({ success: true, total: 1, data: [data] });
      const { id } = objectOf(objectOf(key)["data"]);
      const revoked = await rest.send(`/v1/admin/keys/${String(id)}`, { method: "DELETE" });
      expect(revoked.json).toEqual({ success: true, total: 1, data: { ...data, revokedAt: apiKey.createdAt } });
    });
  });
}
