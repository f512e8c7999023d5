import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { onePage } from "../world.ts";

const isDay = /^\d{4}-\d\d-\d\d$/;

export function usageCases(scene: Scene): void {
  const usage = async (key?: string): Promise<JsonObject> =>
    objectAt(bodyOf(await scene.api.call("getUsage", {}, key === undefined ? {} : { key })), "usage");

  async function build(limits: JsonObject): Promise<{ id: string; workspaceId: string; key: string; plan: string }> {
    const plan = `usage-${scene.protocol}`;
    bodyOf(await scene.api.call("setPlan", { name: plan, limits }));
    const request = { name: "House", plan };
    const created = objectAt(bodyOf(await scene.api.call("createOrganisation", request)), "created");
    const id = String(objectAt(created, "organisation")["id"]);
    return { id, plan, workspaceId: String(created["workspaceId"]), key: String(created["apiKey"]) };
  }

  describe("usage", () => {
    test("a workspace sees what it stores, and what its plan allows", async () => {
      const { id, plan, workspaceId, key } = await build({ maxStorageBytes: 10_000, maxPages: 7 });
      const empty = { total: 0, originals: 0, converted: 0, parts: 0 };
      const fresh = await usage(key);
      expect(fresh).toMatchObject({
        workspaceId,
        organisationId: id,
        stored: empty,
        organisationStoredBytes: 0,
        documents: 0,
        pages: 0,
        plan,
        limits: { maxStorageBytes: 10_000, maxPages: 7, maxUploadBytes: 12 * 2 ** 20 },
      });
      expect(objectAt(fresh, "limits")["maxRetentionDays"] ?? null).toBeNull();

      const job = objectAt(bodyOf(await scene.api.upload("extract", { file: onePage }, { key })), "job");
      await expect.poll(async () => (await usage(key))["pages"], { timeout: 60_000 }).toBe(1);
      const started = { fileName: "b.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      const upload = objectAt(bodyOf(await scene.api.call("startUpload", started, { key })), "upload");
      const part = { key: String(upload["key"]), partNumber: 1, file: onePage };
      bodyOf(await scene.api.appendPart(part, { key }));
      const size = onePage.length;
      expect(await usage(key)).toMatchObject({
        stored: { total: 2 * size, originals: size, converted: 0, parts: size },
        organisationStoredBytes: 2 * size,
        documents: 1,
        pages: 1,
      });
      bodyOf(await scene.api.call("deleteDataset", { id: String(job["datasetId"]) }, { key }));
      bodyOf(await scene.api.call("abortUpload", { key: String(upload["key"]) }, { key }));
      expect(await usage(key)).toMatchObject({ stored: empty, organisationStoredBytes: 0, documents: 0, pages: 0 });
    });

    test("what was stored on the last days is told where it is asked for, today last", async () => {
      const { key } = await build({});
      expect((await usage(key))["history"] ?? []).toEqual([]);
      const asked = objectAt(bodyOf(await scene.api.call("getUsage", { historyDays: 400 }, { key })), "usage");
      const history = listAt(asked, "history");
      // Some protocols leave zeros out.
      const none = { documents: 0, organisationStoredBytes: 0, pages: 0, storedBytes: 0 };
      expect(history.map((of) => ({ ...none, ...of }))).toEqual([{ ...none, day: expect.stringMatching(isDay) }]);
      const refused = refusalOf(await scene.api.call("getUsage", { historyDays: 401 }, { key }));
      expect(refused.code).toBe("INVALID_ARGUMENT");
    });

    test("any key sees its own workspace, which shares the storage of its organisation", async () => {
      const { workspaceId, readKey, searchKey, foreignKey } = scene.world;
      for (const key of [readKey, searchKey]) expect(await usage(key)).toMatchObject({ workspaceId });
      const [own, foreign] = [await usage(), await usage(foreignKey)];
      expect(foreign["workspaceId"]).not.toBe(workspaceId);
      expect(foreign["documents"]).toBe(1);
      expect(foreign["organisationId"]).toBe(own["organisationId"]);
      const total = (of: JsonObject): number => Number(objectAt(of, "stored")["total"]);
      expect(Number(own["organisationStoredBytes"])).toBeGreaterThanOrEqual(total(own) + total(foreign));
      expect(own["plan"]).toBe("unlimited");
      expect(objectAt(own, "limits")["maxStorageBytes"] ?? null).toBeNull();
    });
  });

  describe("the storage of a plan", () => {
    const refusal = {
      ok: false,
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringMatching(
        /^there is no room for the (document|part): your organisation's plan "usage-\S+" stores at most \d+ bytes, of which \d+ bytes are used; delete datasets, /,
      ),
    };

    test("what does not fit is refused, however it comes, and nothing of it stays", async () => {
      const size = onePage.length;
      const { key } = await build({ maxStorageBytes: 2 * size - 1 });
      const job = objectAt(bodyOf(await scene.api.upload("extract", { file: onePage }, { key })), "job");
      expect(await scene.api.upload("extract", { file: onePage }, { key })).toMatchObject(refusal);
      const session = { fileName: "b.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      const declared = await scene.api.call("startUpload", { ...session, fileSize: size }, { key });
      expect(declared).toMatchObject(refusal);
      const upload = objectAt(bodyOf(await scene.api.call("startUpload", session, { key })), "upload");
      const part = { key: String(upload["key"]), partNumber: 1, file: onePage };
      expect(await scene.api.appendPart(part, { key })).toMatchObject(refusal);
      const url = `${scene.world.files.url}/one.pdf`;
      const fetching = objectAt(bodyOf(await scene.api.upload("extract", { url }, { key })), "job");
      const path = { id: String(fetching["id"]) };
      const ended = async (): Promise<JsonObject> =>
        objectAt(bodyOf(await scene.api.call("getJob", path, { key })), "job");
      await expect.poll(async () => (await ended())["status"], { timeout: 60_000 }).toBe("ERROR");
      expect((await ended())["statusText"]).toMatch(/^there is no room for the document/);
      expect(await usage(key)).toMatchObject({ stored: { total: size, originals: size, parts: 0 }, documents: 1 });

      bodyOf(await scene.api.call("deleteDataset", { id: String(job["datasetId"]) }, { key }));
      expect(await scene.api.upload("extract", { file: onePage }, { key })).toMatchObject({ ok: true });
    });

    test("where there is none left, an address is refused at once", async () => {
      const { key } = await build({ maxStorageBytes: onePage.length });
      bodyOf(await scene.api.upload("extract", { file: onePage }, { key }));
      const url = `${scene.world.files.url}/one.pdf`;
      expect(await scene.api.upload("extract", { url }, { key })).toMatchObject(refusal);
    });
  });
}
