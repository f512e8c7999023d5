import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, time } from "../answers.ts";
import type { Scene } from "../scene.ts";

export function workspacesCases(scene: Scene): void {
  const { refused } = scene;

  describe("workspaces and keys", () => {
    const name = `team-${scene.protocol}`;

    test("a workspace is created once and listed", async () => {
      const workspace = objectAt(bodyOf(await scene.api.call("createWorkspace", { name })), "workspace");
      expect(workspace).toMatchObject({
        id: expect.stringMatching(/^ws_/),
        organisationId: expect.stringMatching(/^org_/),
        name,
        createdAt: time,
      });
      expect(listAt(bodyOf(await scene.api.call("listWorkspaces", {})), "data")).toContainEqual(workspace);
      await refused("createWorkspace", { name }, "ALREADY_EXISTS", /already has a workspace/);
    });

    test.each(["", "with space", "../up", "a".repeat(65)])("the workspace name %j is refused", (bad) =>
      refused("createWorkspace", { name: bad }, "INVALID_ARGUMENT", /name/),
    );

    test("a key is shown once, works, is listed without its secret, and stops working when revoked", async () => {
      const created = objectAt(bodyOf(await scene.api.call("createKey", { name: "ci", scopes: ["read"] })), "key");
      expect(created).toMatchObject({
        id: expect.any(String),
        key: expect.stringMatching(/^drs_/),
        workspaceId: scene.world.workspaceId,
        name: "ci",
        scopes: ["read"],
      });
      const key = String(created["key"]);
      bodyOf(await scene.api.call("listDatasets", {}, { key }));
      const listed = listAt(bodyOf(await scene.api.call("listKeys", {})), "data").find(
        ({ id }) => id === created["id"],
      );
      expect(listed).toMatchObject({ name: "ci" });
      expect(listed).not.toHaveProperty("key");
      const revoked = objectAt(bodyOf(await scene.api.call("revokeKey", { id: String(created["id"]) })), "key");
      expect(revoked["revokedAt"]).toEqual(time);
      expect(await scene.api.call("listDatasets", {}, { key })).toMatchObject({ ok: false, code: "UNAUTHENTICATED" });
    });

    test("a key of an unknown workspace is not created", () =>
      refused("createKey", { workspace: "nowhere" }, "NOT_FOUND", /no workspace/));
    test("an unknown key is not revoked", () =>
      refused("revokeKey", { id: "01jzzzzzzzzzzzzzzzzzzzzzzz" }, "NOT_FOUND", /no API key/));
  });
}
