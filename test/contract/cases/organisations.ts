import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf, time } from "../answers.ts";
import type { MethodName } from "../api.ts";
import { buildHouse, type House } from "../house.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownOrganisation } from "../world.ts";

export function organisationsCases(scene: Scene): void {
  const { refused } = scene;
  const answer = async (method: MethodName, request: JsonObject, key?: string): Promise<JsonObject> =>
    bodyOf(await scene.api.call(method, request, key === undefined ? {} : { key }));
  const denied = { code: "PERMISSION_DENIED", message: expect.stringMatching(/only those who run this service/) };

  const build = (): Promise<House> => buildHouse(scene);

  describe("organisations", () => {
    test("an organisation comes with a workspace and a key, and reaches nothing else", async () => {
      const name = `Maker of ${scene.protocol}`;
      const created = objectAt(await answer("createOrganisation", { name }), "created");
      expect(created).toMatchObject({
        organisation: { id: expect.stringMatching(/^org_/), name, plan: "unlimited", createdAt: time },
        workspaceId: expect.stringMatching(/^ws_/),
        apiKey: expect.stringMatching(/^drs_/),
      });
      const key = String(created["apiKey"]);
      const workspaces = await answer("listWorkspaces", {}, key);
      expect(workspaces).toMatchObject({ total: 1, data: [{ id: created["workspaceId"], name: "default" }] });
      expect(await answer("listKeys", {}, key)).toMatchObject({
        total: 1,
        data: [{ scopes: ["read", "write", "search", "admin"] }],
      });
      expect(await answer("listOrganisations", {}, key)).toMatchObject({
        total: 1,
        data: [created["organisation"] ?? null],
      });
      for (const method of ["listDatasets", "listJobs"] as const) {
        expect(await answer(method, {}, key)).toMatchObject({ total: 0 });
      }
    });

    test("those who run the service list all organisations, but reach no documents of theirs", async () => {
      const { id, workspaceId, apiKey } = await build();
      const seen = listAt(await answer("listOrganisations", {}), "data").map((organisation) => organisation["id"]);
      expect(seen).toContain(id);
      const job = objectAt(bodyOf(await scene.api.upload("extract", { file: onePage }, { key: apiKey })), "job");
      await refused("getDataset", { id: String(job["datasetId"]) }, "NOT_FOUND", /no dataset/);
      const elsewhere = await scene.api.call("listDatasets", {}, { workspace: workspaceId });
      expect(elsewhere).toMatchObject({ code: "NOT_FOUND" });
      await refused("listKeys", { workspace: workspaceId }, "NOT_FOUND", /no workspace/);
      await refused("createKey", { workspace: workspaceId }, "NOT_FOUND", /no workspace/);
    });

    test("an organisation renames itself; its plan is changed by those who run the service", async () => {
      const { id, apiKey } = await build();
      const plan = `plan-${scene.protocol}`;
      await answer("setPlan", { name: plan, limits: { maxPages: 500 } });
      expect(await answer("updateOrganisation", { id, name: "Renamed" }, apiKey)).toMatchObject({
        organisation: { id, name: "Renamed", plan: "unlimited" },
      });
      const raise = await scene.api.call("updateOrganisation", { id, plan: "unlimited" }, { key: apiKey });
      expect(raise).toMatchObject(denied);
      expect(await answer("updateOrganisation", { id, plan })).toMatchObject({
        organisation: { name: "Renamed", plan },
      });
      await refused("updateOrganisation", { id, plan: "nowhere" }, "NOT_FOUND", /no plan "nowhere"/);
      await refused("updateOrganisation", { id: unknownOrganisation, name: "x" }, "NOT_FOUND", /no organisation/);
      await refused("createOrganisation", { name: "x", plan: "nowhere" }, "NOT_FOUND", /no plan "nowhere"/);
      for (const name of ["", " \u200b\u001b"]) {
        await refused("createOrganisation", { name }, "INVALID_ARGUMENT", /name/);
      }
    });

    test("a foreign organisation is like an unknown one, whatever is to be changed", async () => {
      const [own, other] = [await build(), await build()];
      for (const change of [{ name: "taken over" }, { plan: "unlimited" }, { plan: "nowhere" }, {}]) {
        const refusal = async (id: string): Promise<object> => {
          const outcome = await scene.api.call("updateOrganisation", { id, ...change }, { key: own.apiKey });
          const { code, message } = refusalOf(outcome);
          return { code, message: message.replaceAll(id, "ID") };
        };
        expect(await refusal(other.id)).toEqual(await refusal(unknownOrganisation));
        expect(await refusal(other.id)).toEqual({ code: "NOT_FOUND", message: 'there is no organisation "ID"' });
      }
    });

    test("only those who run the service create organisations and plans", async () => {
      const { apiKey } = await build();
      const attempts: [MethodName, JsonObject][] = [
        ["createOrganisation", { name: "x" }],
        ["setPlan", { name: "x", limits: {} }],
        ["deletePlan", { name: "x" }],
      ];
      for (const [method, request] of attempts) {
        const outcome = await scene.api.call(method, request, { key: apiKey });
        expect({ method, ...outcome }).toMatchObject({ method, ...denied });
      }
    });
  });

  describe("plans", () => {
    test("a plan is made, changed, listed, and deleted once no organisation is on it", async () => {
      const name = `team-${scene.protocol}`;
      const limits = { maxUploadBytes: 1e10, maxRetentionDays: 30.5, requestsPerMinute: 600 };
      expect(await answer("setPlan", { name, limits })).toMatchObject({ plan: { name, limits } });
      const changed = objectAt(objectAt(await answer("setPlan", { name, limits: { maxPages: 10 } }), "plan"), "limits");
      expect(Object.entries(changed).filter(([, limit]) => limit !== null)).toEqual([["maxPages", 10]]);
      const plans = listAt(await answer("listPlans", {}), "data");
      expect(plans).toContainEqual({ name, limits: changed });
      expect(plans.map((plan) => plan["name"])).toContain("unlimited");

      const { id, apiKey } = await build();
      expect(await answer("listPlans", {}, apiKey)).toMatchObject({ total: 1, data: [{ name: "unlimited" }] });
      await answer("updateOrganisation", { id, plan: name });
      expect(await answer("listPlans", {}, apiKey)).toMatchObject({ total: 1, data: [{ name }] });
      await refused("deletePlan", { name }, "ALREADY_EXISTS", /organisations are on the plan/);
      await answer("updateOrganisation", { id, plan: "unlimited" });
      await answer("deletePlan", { name });
      await refused("deletePlan", { name }, "NOT_FOUND", /no plan/);
    });

    test("the plan unlimited cannot be changed or deleted", async () => {
      const request = { name: "unlimited", limits: { maxPages: 1 } };
      await refused("setPlan", request, "ALREADY_EXISTS", /built in/);
      await refused("deletePlan", { name: "unlimited" }, "ALREADY_EXISTS", /built in/);
    });

    test.each([
      [{ maxUploadBytes: 0 }, /maxUploadBytes must be a whole number greater than 0/],
      [{ maxStorageBytes: -1 }, /maxStorageBytes/],
      [{ maxStorageBytes: 1.5 }, /maxStorageBytes/],
      [{ maxStorageBytes: 1e300 }, /maxStorageBytes/],
      [{ maxRetentionDays: 0 }, /maxRetentionDays must be a number greater than 0/],
      [{ maxRetentionDays: "Infinity" }, /maxRetentionDays/],
      [{ maxRetentionDays: "NaN" }, /maxRetentionDays/],
      [{ requestsPerMinute: 0 }, /requestsPerMinute/],
    ])("the limits %j are refused", (limits, message) =>
      refused("setPlan", { name: "odd", limits }, "INVALID_ARGUMENT", message),
    );

    test.each(["with space", "-x", "../up"])("the plan name %j is refused", (name) =>
      refused("setPlan", { name, limits: {} }, "INVALID_ARGUMENT", /name/),
    );
  });
}
