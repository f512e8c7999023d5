import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, time } from "../answers.ts";
import type { MethodName } from "../api.ts";
import { buildHouse, type House } from "../house.ts";
import type { Scene } from "../scene.ts";
import { longDocument, onePage } from "../world.ts";

export function auditCases(scene: Scene): void {
  const { refused } = scene;
  const answer = async (method: MethodName, request: JsonObject, key?: string): Promise<JsonObject> =>
    bodyOf(await scene.api.call(method, request, key === undefined ? {} : { key }));
  const build = (name?: string): Promise<House> => buildHouse(scene, name);

  /** The events of an organisation, oldest first, without their ids and times. */
  async function history(key: string): Promise<JsonObject[]> {
    const { data } = await answer("listAuditEvents", { limit: 100 }, key).then((body) => ({
      data: listAt(body, "data"),
    }));
    return data.toReversed();
  }

  describe("the audit log", () => {
    test("every administrative act is in it, once, with who did it and no secret", async () => {
      const { id, workspaceId, apiKey } = await build();
      const by = `key ${apiKey.split("_")[1]}`;
      const made = objectAt(await answer("createWorkspace", { name: "second" }, apiKey), "workspace");
      const key = objectAt(await answer("createKey", { name: "ci", workspace: "second" }, apiKey), "key");
      const rotated = objectAt(await answer("rotateKey", { id: String(key["id"]) }, apiKey), "key");
      for (let round = 0; round < 2; round++) await answer("revokeKey", { id: String(rotated["id"]) }, apiKey);
      const invitation = objectAt(await answer("inviteMember", { name: "Ada", role: "owner" }, apiKey), "invitation");
      const other = objectAt(await answer("inviteMember", { name: "Bob", role: "viewer" }, apiKey), "invitation");
      await answer("revokeInvitation", { id: String(other["id"]) }, apiKey);
      const token = String(invitation["token"]);
      const session = objectAt(bodyOf(await scene.api.call("acceptInvitation", { token }, { key: null })), "session");
      const [personal, ada] = [String(session["token"]), String(objectAt(session, "member")["id"])];
      await answer("inviteMember", { name: "Cy", role: "viewer" }, personal);
      const second = objectAt(await answer("inviteMember", { name: "Di", role: "owner" }, apiKey), "invitation");
      bodyOf(await scene.api.call("acceptInvitation", { token: String(second["token"]) }, { key: null }));
      await answer("signOut", {}, personal);
      await answer("updateMember", { id: ada, role: "viewer" }, apiKey);
      await answer("removeMember", { id: ada }, apiKey);
      await answer("updateOrganisation", { id, name: "New" }, apiKey);
      // What is refused or changes nothing is not in it.
      await scene.api.call("createWorkspace", { name: "second" }, { key: apiKey });
      await scene.api.call("updateOrganisation", { id, plan: "unlimited" }, { key: apiKey });
      await answer("updateOrganisation", { id }, apiKey);
      // What the operator does with it, is.
      await answer("updateOrganisation", { id, plan: "unlimited" });

      const events = await history(apiKey);
      const ends = String(made["id"]);
      expect(
        events.map(({ actor, action, target, workspaceId }) => [actor, action, target, workspaceId ?? ""]),
      ).toEqual([
        ...[
          ["service", "organisation.create", id, ""],
          ["service", "workspace.create", workspaceId, workspaceId],
          ["service", "key.create", apiKey.split("_")[1], workspaceId],
        ].toSorted(byIdOf(events.slice(0, 3))),
        [by, "workspace.create", ends, ends],
        [by, "key.create", key["id"], ends],
        [by, "key.rotate", key["id"], ends],
        [by, "key.revoke", rotated["id"], ends],
        [by, "member.invite", invitation["id"], ""],
        [by, "member.invite", other["id"], ""],
        [by, "invitation.revoke", other["id"], ""],
        [`member ${ada}`, "member.join", ada, ""],
        [`member ${ada}`, "member.invite", expect.any(String), ""],
        [by, "member.invite", second["id"], ""],
        [expect.stringMatching(/^member mem_/), "member.join", expect.any(String), ""],
        [`member ${ada}`, "member.sign_out", ada, ""],
        [by, "member.update", ada, ""],
        [by, "member.remove", ada, ""],
        [by, "organisation.update", id, ""],
        ["service", "organisation.update", id, ""],
      ]);
      for (const event of events) expect(event).toMatchObject({ id: expect.stringMatching(/^evt_/), at: time });
      const text = JSON.stringify(events);
      for (const secret of [apiKey, key["key"], rotated["key"], token, second["token"], personal].map(String)) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.slice(-43));
      }
      expect(text).toContain("owner to viewer");
    });

    test("deletions are in it, also by cancelling, with the workspace", async () => {
      const { workspaceId, apiKey } = await build();
      const upload = async (file: Uint8Array) =>
        objectAt(bodyOf(await scene.api.upload("extract", { file }, { key: apiKey })), "job");
      const deleted = await upload(onePage);
      const running = await upload(longDocument);
      await answer("cancelJob", { id: String(running["id"]) }, apiKey);
      await answer("deleteDataset", { id: String(deleted["datasetId"]) }, apiKey);
      await scene.api.call("deleteDataset", { id: String(deleted["datasetId"]) }, { key: apiKey });
      const body = await answer("listAuditEvents", { action: "dataset." }, apiKey);
      const actor = `key ${apiKey.split("_")[1]}`;
      const common = { actor, action: "dataset.delete", workspaceId };
      expect(body).toMatchObject({
        total: 2,
        data: [
          { ...common, target: deleted["datasetId"] },
          { ...common, target: running["datasetId"], details: `job ${String(running["id"])} cancelled` },
        ],
      });
    });

    test("new versions are in it, by whom they were sent and that they serve", async () => {
      const { workspaceId, apiKey } = await build();
      const options = { key: apiKey };
      const jobOf = (result: Parameters<typeof bodyOf>[0]) => objectAt(bodyOf(result), "job");
      const finished = async ({ id: job }: JsonObject): Promise<JsonObject> => {
        const watched = await scene.api.watch(String(job), options);
        if (!watched.ok) throw new Error(watched.message);
        return objectAt(watched.states.at(-1) ?? {}, "job");
      };
      const first = jobOf(await scene.api.upload("extract", { file: onePage }, options));
      await finished(first);
      const id = String(first["datasetId"]);
      const sent = jobOf(await scene.api.replace(id, { file: onePage }, options));
      await finished(sent);
      const failed = jobOf(await scene.api.replace(id, { file: Buffer.from("%PDF-1.7\nnothing else") }, options));
      expect(await finished(failed)).toMatchObject({ status: "ERROR" });
      const start = { fileName: "parts.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "", datasetId: id };
      const key = String(objectAt(await answer("startUpload", start, apiKey), "upload")["key"]);
      bodyOf(await scene.api.appendPart({ file: onePage, key, partNumber: 1 }, options));
      const parts = objectAt(await answer("endUpload", { key }, apiKey), "job");
      await finished(parts);
      const fetched = jobOf(await scene.api.replace(id, { url: `${scene.world.files.url}/one.pdf` }, options));
      await finished(fetched);
      const events = listAt(await answer("listAuditEvents", { action: "dataset." }, apiKey), "data");
      const common = { action: "dataset.replace", target: id, workspaceId };
      const by = { ...common, actor: `key ${apiKey.split("_")[1]}` };
      const reads = ({ id: job }: JsonObject) => ({ ...by, details: `job ${String(job)} reads a new version` });
      const serves = ({ id: job }: JsonObject) => ({
        ...common,
        actor: "service",
        details: `job ${String(job)} has put a new version in its place`,
      });
      expect(events.toReversed()).toMatchObject([
        reads(sent),
        serves(sent),
        reads(failed),
        reads(parts),
        serves(parts),
        reads(fetched),
        serves(fetched),
      ]);
    });

    test("it is narrowed down by who did it and by time", async () => {
      const { apiKey } = await build("House");
      for (const name of ["a", "b"]) await answer("createWorkspace", { name }, apiKey);
      const list = async (request: JsonObject): Promise<JsonObject> =>
        answer("listAuditEvents", { action: "workspace.", limit: 100, ...request }, apiKey);
      const whole = await list({});
      const made = listAt(whole, "data").filter(({ details }) => ["a", "b"].includes(String(details)));
      const [second, first] = made.map(({ at }) => Number(at));
      const actor = `key ${apiKey.split("_")[1]}`;
      expect(listAt(await list({ actor }), "data")).toEqual(expect.arrayContaining(made));
      expect((await list({ actor: "member mem_none" }))["total"] ?? 0).toBe(0);
      expect(listAt(await list({ actor, since: second ?? 0 }), "data")[0]).toMatchObject({ details: "b" });
      expect((await list({ since: (second ?? 0) + 1 }))["total"] ?? 0).toBe(0);
      expect((await list({ actor, until: first ?? 0 }))["total"] ?? 0).toBe(0);
    });

    test("it is read in pages and by the beginning of the action, and is the organisation's own", async () => {
      const [{ apiKey }, other] = [await build("One"), await build("Two")];
      for (const name of ["a", "b", "c"]) await answer("createWorkspace", { name }, apiKey);
      const targets = async (request: JsonObject): Promise<unknown[]> =>
        listAt(await answer("listAuditEvents", request, apiKey), "data").map((event) => event["details"]);
      expect(await targets({ action: "workspace.create", limit: 2 })).toEqual(["c", "b"]);
      expect(await targets({ action: "workspace.", offset: 2, limit: 1 })).toEqual(["a"]);
      expect(await targets({ action: "nothing" })).toEqual([]);
      const foreign = JSON.stringify(await history(other.apiKey));
      expect(foreign).not.toContain(apiKey.split("_")[1]);
      const { readKey } = scene.world;
      expect(await scene.api.call("listAuditEvents", {}, { key: readKey })).toMatchObject({
        code: "PERMISSION_DENIED",
      });
      await refused("listAuditEvents", { limit: 101 }, "INVALID_ARGUMENT", /limit/);
    });
  });
}

/** Events of one moment have no order of their own; their ids give them one. */
function byIdOf(events: readonly JsonObject[]) {
  const order = events.map(({ target }) => target);
  return (one: readonly unknown[], other: readonly unknown[]): number =>
    order.findIndex((target) => target === one[2]) - order.findIndex((target) => target === other[2]);
}
