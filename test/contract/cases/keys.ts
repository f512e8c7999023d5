import { earliest, latest } from "../clock.ts";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf, time } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { unknownKey } from "../world.ts";

const hourMs = 3_600_000;

export function keysCases(scene: Scene): void {
  const { refused } = scene;
  const create = async (request: Parameters<Scene["api"]["call"]>[1]) =>
    objectAt(bodyOf(await scene.api.call("createKey", request)), "key");
  const listed = async (id: unknown) =>
    listAt(bodyOf(await scene.api.call("listKeys", {})), "data").find((key) => key["id"] === id);
  const works = async (key: unknown): Promise<boolean> => (await scene.api.call("whoAmI", {}, { key: String(key) })).ok;

  describe("limits and rotation of keys", () => {
    test("a key carries its expiry and limit, in the answer and in the list; both are null otherwise", async () => {
      const before = earliest();
      const made = await create({ name: "nightly", expiresInDays: 2, requestsPerMinute: 60 });
      expect(made).toMatchObject({ requestsPerMinute: 60, expiresAt: time });
      expect(made["expiresAt"]).toBe(Number(made["createdAt"]) + 48 * hourMs);
      expect(made["createdAt"]).toBeGreaterThanOrEqual(before);
      const { key: _secret, ...shown } = made;
      expect(await listed(made["id"])).toEqual(shown);
      expect(await works(made["key"])).toBe(true);
      const plain = await create({ name: "plain" });
      expect([plain["expiresAt"] ?? null, plain["requestsPerMinute"] ?? null]).toEqual([null, null]);
    });

    test("an expired key is refused like an unknown one", async () => {
      // The shortest that there is: over as soon as it has been made.
      const { key } = await create({ expiresInDays: 1e-9 });
      const refusal = async (tried: string) => {
        const { code, message } = refusalOf(await scene.api.call("listDatasets", {}, { key: tried }));
        return { code, message };
      };
      await expect.poll(() => works(key)).toBe(false);
      expect(await refusal(String(key))).toEqual(await refusal(String(key).replace(/.{5}$/, "aaaaa")));
    });

    test.each([0, -1, 3651])("a key does not expire in %d days", (expiresInDays) =>
      refused("createKey", { expiresInDays }, "INVALID_ARGUMENT", /expiresInDays/),
    );

    test("a rotated key goes on for the overlap, and the new one is like it", async () => {
      const old = await create({ name: "app", scopes: ["read"], requestsPerMinute: 7, expiresInDays: 30 });
      const before = earliest();
      const fresh = objectAt(
        bodyOf(await scene.api.call("rotateKey", { id: String(old["id"]), overlapHours: 2 })),
        "key",
      );
      const { workspaceId, name, scopes, requestsPerMinute } = old;
      expect(fresh).toMatchObject({ workspaceId, name, scopes, requestsPerMinute });
      expect(fresh["id"]).not.toBe(old["id"]);
      expect(fresh["expiresAt"]).toBe(Number(fresh["createdAt"]) + 30 * 24 * hourMs);
      expect(await works(old["key"])).toBe(true);
      expect(await works(fresh["key"])).toBe(true);
      const ends = Number((await listed(old["id"]))?.["expiresAt"]);
      expect(ends).toBeGreaterThanOrEqual(before + 2 * hourMs);
      expect(ends).toBeLessThanOrEqual(latest() + 2 * hourMs);
      await refused("rotateKey", { id: String(old["id"]) }, "ALREADY_EXISTS", /already replaced/);
    });

    test("a key rotated without overlap is refused at once", async () => {
      const old = await create({});
      const fresh = objectAt(
        bodyOf(await scene.api.call("rotateKey", { id: String(old["id"]), overlapHours: 0 })),
        "key",
      );
      expect(await works(old["key"])).toBe(false);
      expect(await works(fresh["key"])).toBe(true);
      expect(fresh["expiresAt"] ?? null).toBeNull();
    });

    test("the overlap is a day unless said otherwise, and never more than the key has left", async () => {
      const [lasting, ending] = [await create({}), await create({ expiresInDays: 0.5 })];
      for (const { id } of [lasting, ending]) bodyOf(await scene.api.call("rotateKey", { id: String(id) }));
      expect((await listed(ending["id"]))?.["expiresAt"]).toBe(ending["expiresAt"]);
      const ends = Number((await listed(lasting["id"]))?.["expiresAt"]);
      expect(ends - earliest()).toBeGreaterThan(23 * hourMs);
      expect(ends - latest()).toBeLessThanOrEqual(24 * hourMs);
    });

    test("no revoked, unknown or foreign key is rotated", async () => {
      const { id } = await create({});
      bodyOf(await scene.api.call("revokeKey", { id: String(id) }));
      await refused("rotateKey", { id: String(id) }, "ALREADY_EXISTS", /revoked/);
      await refused("rotateKey", { id: unknownKey }, "NOT_FOUND", /no API key/);
      await refused("rotateKey", { id: "a", overlapHours: 721 }, "INVALID_ARGUMENT", /overlapHours/);
      const { apiKey } = objectAt(bodyOf(await scene.api.call("createOrganisation", { name: "o" })), "created");
      const own = await create({});
      for (const method of ["rotateKey", "revokeKey"] as const) {
        const outcome = await scene.api.call(method, { id: String(own["id"]) }, { key: String(apiKey) });
        expect(outcome).toMatchObject({ code: "NOT_FOUND", message: expect.stringMatching(/no API key/) });
      }
      expect(await works(own["key"])).toBe(true);
    });
  });
}
