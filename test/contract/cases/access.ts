import { describe, expect, test } from "vitest";
import type { MethodName } from "../api.ts";
import type { Request, Scene } from "../scene.ts";
import {
  onePage,
  unknownDataset,
  unknownInvitation,
  unknownMember,
  unknownOrganisation,
  unknownUpload,
} from "../world.ts";

export function accessCases(scene: Scene): void {
  const { requestOf } = scene;

  describe("access", () => {
    const everywhere: [MethodName, Request][] = [
      ["listDatasets", {}],
      ["getDataset", (w) => ({ id: w.zoo })],
      ["listItems", (w) => ({ datasetId: w.zoo })],
      ["listJobs", {}],
      ["getJob", (w) => ({ id: w.zooJob })],
      ["cancelJob", (w) => ({ id: w.zooJob })],
      ["retryJob", (w) => ({ id: w.zooJob })],
      ["deleteDataset", (w) => ({ id: w.zoo })],
      ["vectorizeDataset", (w) => ({ id: w.plain })],
      ["search", { query: "a" }],
      ["searchMany", { searches: [{ query: { text: "a" } }] }],
      ["getItems", (w) => ({ wanted: [{ datasetId: w.zoo }] })],
      ["startUpload", { fileName: "a.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" }],
      ["getUpload", { key: unknownUpload }],
      ["listUploads", {}],
      ["endUpload", { key: unknownUpload }],
      ["abortUpload", { key: unknownUpload }],
      ["createWorkspace", { name: "intruder" }],
      ["listWorkspaces", {}],
      ["createKey", {}],
      ["listKeys", {}],
      ["rotateKey", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }],
      ["listMembers", {}],
      ["inviteMember", { name: "intruder", role: "owner" }],
      ["listInvitations", {}],
      ["revokeInvitation", { id: unknownInvitation }],
      ["updateMember", { id: unknownMember, role: "owner" }],
      ["removeMember", { id: unknownMember }],
      ["whoAmI", {}],
      ["signOut", {}],
      ["listTokens", {}],
      ["endToken", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }],
      ["listIdentities", {}],
      ["linkIdentity", {}],
      ["unlinkIdentities", {}],
      ["listSessions", {}],
      ["endSession", { id: "ses_01jzzzzzzzzzzzzzzzzzzzzzzz" }],
      ["createSignInCode", {}],
      ["getDevice", { userCode: "BBBB-BBBB" }],
      ["approveDevice", { userCode: "BBBB-BBBB" }],
      ["denyDevice", { userCode: "BBBB-BBBB" }],
      ["getUsage", {}],
      ["rotateLinks", { revoke: true }],
      ["listModels", {}],
      ["useModel", { id: "intruder" }],
      ["createOrganisation", { name: "intruder" }],
      ["listOrganisations", {}],
      ["updateOrganisation", { id: unknownOrganisation, name: "intruder" }],
      ["listPlans", {}],
      ["setPlan", { name: "intruder", limits: {} }],
      ["deletePlan", { name: "intruder" }],
      ["listAuditEvents", {}],
      ["revokeKey", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }],
    ];

    test.each(everywhere)("%s needs a key, and one that is known", async (method, request) => {
      expect(await scene.api.call(method, requestOf(request), { key: null })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
        message: expect.stringMatching(/x-api-key/),
      });
      expect(await scene.api.call(method, requestOf(request), { key: "drs_wrong" })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
      });
    });

    test("an upload needs a key", async () => {
      expect(await scene.api.upload("extract", { file: onePage }, { key: null })).toMatchObject({
        ok: false,
        code: "UNAUTHENTICATED",
      });
    });

    test("a part needs a key", async () => {
      const part = { key: unknownUpload, partNumber: 1, file: onePage };
      expect(await scene.api.appendPart(part, { key: null })).toMatchObject({ ok: false, code: "UNAUTHENTICATED" });
      expect(await scene.api.appendPart(part, { key: scene.world.readKey })).toMatchObject({
        ok: false,
        code: "PERMISSION_DENIED",
      });
    });

    test("a key can do what its scopes say and no more", async () => {
      const denied = { ok: false, code: "PERMISSION_DENIED", message: expect.stringMatching(/scope/) };
      const { readKey, writeKey, searchKey } = scene.world;
      expect(await scene.api.call("listDatasets", {}, { key: readKey })).toMatchObject({ ok: true });
      expect(await scene.api.call("search", { query: "bats" }, { key: searchKey })).toMatchObject({ ok: true });
      expect(await scene.api.upload("extract", { file: onePage }, { key: writeKey })).toMatchObject({ ok: true });
      expect(await scene.api.call("search", { query: "bats" }, { key: readKey })).toMatchObject(denied);
      expect(await scene.api.call("listDatasets", {}, { key: writeKey })).toMatchObject(denied);
      expect(await scene.api.call("deleteDataset", { id: scene.world.zoo }, { key: readKey })).toMatchObject(denied);
      expect(await scene.api.upload("extract", { file: onePage }, { key: searchKey })).toMatchObject(denied);
      expect(await scene.api.call("createKey", {}, { key: writeKey })).toMatchObject(denied);
    });

    test("every error carries a request id", async () => {
      const outcome = await scene.api.call("getDataset", { id: unknownDataset });
      expect(outcome).toMatchObject({ ok: false, requestId: expect.stringMatching(/\S{8,}/) });
    });
  });
}
