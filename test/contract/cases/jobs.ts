import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, time } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { longDocument, unknownJob, zooPages } from "../world.ts";

export function jobsCases(scene: Scene): void {
  const { refused, uploaded, watched, finished } = scene;

  /** Jobs that other cases did not wait for have ended: from here on the lists stand still. */
  async function settled(): Promise<void> {
    const statuses = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"];
    const unfinished = async (): Promise<unknown> => bodyOf(await scene.api.call("listJobs", { statuses }))["total"];
    await expect.poll(unfinished, { timeout: 30_000 }).toBe(0);
  }

  describe("jobs", () => {
    test("getJob answers with every field", async () => {
      const job = objectAt(bodyOf(await scene.api.call("getJob", { id: scene.world.zooJob })), "job");
      expect(job).toMatchObject({
        id: scene.world.zooJob,
        datasetId: scene.world.zoo,
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
      const body = bodyOf(await scene.api.call("listJobs", { limit: 100 }));
      expect(body).toMatchObject({
        sort: ["-createdAt"],
        orderBy: ["-createdAt"],
        statuses: [],
        offset: 0,
        limit: 100,
      });
      const data = listAt(body, "data");
      expect(body["total"]).toBe(data.length);
      expect(data.map(({ id }) => id)).toContain(scene.world.plainJob);
      expect(data.map(({ id }) => id)).not.toContain(scene.world.foreignJob);
      const times = data.map(({ createdAt }) => Number(createdAt));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    });

    test("listJobs filters by statuses", async () => {
      await settled();
      const body = bodyOf(await scene.api.call("listJobs", { statuses: ["SUCCESS", "IN_QUEUE"], limit: 100 }));
      expect(body["statuses"]).toEqual(["SUCCESS", "IN_QUEUE"]);
      expect(new Set(listAt(body, "data").map(({ status }) => status))).toEqual(new Set(["SUCCESS"]));
    });

    test("listJobs finds what has failed", async () => {
      const broken = await finished(await uploaded("extract", { file: Buffer.from("%PDF-1.7\nnothing else") }));
      const failed = listAt(bodyOf(await scene.api.call("listJobs", { statuses: ["ERROR"], limit: 100 })), "data");
      expect(failed).toContainEqual(broken);
      expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(["ERROR"]));
    });

    test("listJobs takes offset and limit", async () => {
      await settled();
      const all = listAt(bodyOf(await scene.api.call("listJobs", { limit: 100, statuses: ["SUCCESS"] })), "data").map(
        ({ id }) => id,
      );
      const page = bodyOf(await scene.api.call("listJobs", { limit: 1, offset: 1, statuses: ["SUCCESS"] }));
      expect(page).toMatchObject({ limit: 1, offset: 1, total: all.length });
      expect(listAt(page, "data").map(({ id }) => id)).toEqual(all.slice(1, 2));
    });

    test.each<[string, JsonObject, RegExp]>([
      ["an unknown status", { statuses: ["DONE"] }, /status|DONE/i],
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
    ])("listJobs refuses %s", (_, request, message) => refused("listJobs", request, "INVALID_ARGUMENT", message));

    test("watchJob ends with the final state", async () => {
      const states = await watched(scene.world.zooJob);
      expect(states).toHaveLength(1);
      expect(states[0]).toMatchObject({
        job: { id: scene.world.zooJob, status: "SUCCESS" },
        revision: expect.stringMatching(/^\d+$/),
      });
    });

    test("watchJob shows the way from upload to success, and can be resumed", async () => {
      const job = await uploaded("vectorize");
      const states = await watched(String(job["id"]));
      const revisions = states.map(({ revision }) => Number(revision));
      expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
      expect(states.at(-1)).toMatchObject({ job: { status: "SUCCESS" } });
      const resumed = await watched(String(job["id"]), String(revisions[0]));
      expect(resumed.at(-1)).toMatchObject({ job: { status: "SUCCESS" } });
    });

    test("cancelJob ends a running job and removes the dataset that it was making", async () => {
      const job = await uploaded("vectorize", { file: longDocument, fileName: "long.pdf" });
      const [id, datasetId] = [String(job["id"]), String(job["datasetId"])];
      const unfinished = listAt(
        bodyOf(await scene.api.call("listJobs", { statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] })),
        "data",
      );
      expect(unfinished.map((listed) => listed["id"])).toContain(id);
      const canceled = objectAt(bodyOf(await scene.api.call("cancelJob", { id })), "job");
      expect(canceled).toMatchObject({
        id,
        status: "ERROR",
        canceledAt: time,
        finishedAt: time,
        statusText: expect.stringMatching(/cancel/),
      });
      expect(await finished(job)).toMatchObject({ status: "ERROR", canceledAt: canceled["canceledAt"] });
      await refused("getDataset", { id: datasetId }, "NOT_FOUND", /no dataset/);
      await refused("cancelJob", { id }, "ALREADY_EXISTS", /already ended/);
    });

    test("retryJob runs a job again that ended in ERROR, under its id and dataset", async () => {
      const failed = await finished(await uploaded("extract", { file: Buffer.from("%PDF-1.7\nnothing else") }));
      const { id, datasetId } = failed;
      const again = objectAt(bodyOf(await scene.api.call("retryJob", { id: String(id) })), "job");
      expect(again).toMatchObject({ id, datasetId, status: "IN_PROGRESS", progress: { stage: "queue" } });
      for (const field of ["statusText", "startedAt", "finishedAt", "canceledAt"])
        expect(again[field] ?? null).toBeNull();
      const ended = await finished(again);
      expect(ended).toMatchObject({ id, status: "ERROR", statusText: failed["statusText"] });
      expect(Number(ended["finishedAt"])).toBeGreaterThan(Number(failed["finishedAt"]));
    });

    test("retryJob refuses what runs, what has nothing to run again, and what has lost its dataset", async () => {
      await refused("retryJob", (w) => ({ id: w.zooJob }), "ALREADY_EXISTS", /job .* has no failed pages/);
      const job = await uploaded("vectorize", { file: longDocument, fileName: "long.pdf" });
      const request = { id: String(job["id"]) };
      await refused("retryJob", request, "ALREADY_EXISTS", /has not ended/);
      bodyOf(await scene.api.call("deleteDataset", { id: String(job["datasetId"]) }));
      await refused("retryJob", request, "NOT_FOUND", /no longer exists/);
    });

    test("deleting a dataset ends its running job and keeps its jobs readable", async () => {
      const job = await uploaded("vectorize", { file: longDocument, fileName: "long.pdf" });
      const request = { id: String(job["id"]) };
      bodyOf(await scene.api.call("deleteDataset", { id: String(job["datasetId"]) }));
      expect(bodyOf(await scene.api.call("getJob", request))).toMatchObject({
        job: { ...request, datasetId: job["datasetId"], status: "ERROR", canceledAt: time, finishedAt: time },
      });
      await refused("cancelJob", request, "ALREADY_EXISTS", /already ended/);
    });

    test("a job stays readable when its dataset is gone", async () => {
      const job = await finished(await uploaded("extract"));
      bodyOf(await scene.api.call("deleteDataset", { id: String(job["datasetId"]) }));
      expect(bodyOf(await scene.api.call("getJob", { id: String(job["id"]) }))).toEqual({ job });
    });

    test("retryJob knows no unknown job", () => refused("retryJob", { id: unknownJob }, "NOT_FOUND", /no job/));
    test("retryJob knows no foreign job", () =>
      refused("retryJob", (w) => ({ id: w.foreignJob }), "NOT_FOUND", /no job/));
    test("cancelJob knows no unknown job", () => refused("cancelJob", { id: unknownJob }, "NOT_FOUND", /no job/));
    test("cancelJob refuses a finished job", () =>
      refused("cancelJob", (w) => ({ id: w.zooJob }), "ALREADY_EXISTS", /already ended/));
    test("cancelJob knows no foreign job", () =>
      refused("cancelJob", (w) => ({ id: w.foreignJob }), "NOT_FOUND", /no job/));
  });
}
