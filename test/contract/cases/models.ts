import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt } from "../answers.ts";
import type { Scene } from "../scene.ts";

export function modelsCases(scene: Scene): void {
  const { refused } = scene;
  const models = async (key?: string): Promise<JsonObject> =>
    objectAt(bodyOf(await scene.api.call("listModels", {}, key === undefined ? {} : { key })), "models");

  async function strangerKey(): Promise<string> {
    const created = bodyOf(await scene.api.call("createOrganisation", { name: "House of Moths" }));
    return String(objectAt(created, "created")["apiKey"]);
  }

  describe("models", () => {
    test("the list says which pack is in use, what it is, and how many datasets have it", async () => {
      const list = await models();
      const [inUse] = listAt(list, "packs");
      expect(inUse).toMatchObject({
        id: list["inUse"] ?? null,
        place: "builtin",
        inUse: true,
        licence: "Apache-2.0",
        languages: expect.arrayContaining(["en"]),
        spaces: expect.arrayContaining([{ name: "words", kind: "lexical", dimensions: 0 }]),
      });
      expect(Number(inUse?.["bytes"])).toBeGreaterThan(1_000_000);
      const progress = objectAt(list, "progress");
      expect(Number(progress["datasetsTotal"])).toBeGreaterThan(0);
      expect(progress).toMatchObject({
        datasetsDone: progress["datasetsTotal"] ?? null,
        pagesDone: progress["pagesTotal"] ?? null,
        datasetsFailed: 0,
        failures: [],
      });
    });

    test("an admin of another organisation sees the packs, but counts of their own documents only", async () => {
      const list = await models(await strangerKey());
      expect(objectAt(list, "progress")).toMatchObject({ datasetsTotal: 0, pagesTotal: 0 });
      expect(listAt(list, "packs")).toMatchObject([{ inUse: true, datasets: 0 }]);
    });

    test("the pack in use may be asked for again", async () => {
      const before = await models();
      const after = objectAt(bodyOf(await scene.api.call("useModel", { id: "builtin" })), "models");
      expect(after["inUse"]).toEqual(before["inUse"]);
      expect(bodyOf(await scene.api.call("useModel", { id: String(before["inUse"]) }))).toMatchObject({
        models: { inUse: before["inUse"] ?? null },
      });
    });

    test("only those who run the service choose the pack", async () => {
      expect(await scene.api.call("useModel", { id: "builtin" }, { key: await strangerKey() })).toMatchObject({
        ok: false,
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(/only those who run this service/),
      });
    });

    test("a pack that is not there is not found, and a path is no name of one", async () => {
      await refused("useModel", { id: "unknown" }, "NOT_FOUND", /no model pack "unknown".*drs models list/);
      await refused("useModel", { id: "builtin@99.0.0" }, "NOT_FOUND", /no model pack/);
      await refused("useModel", { id: "../builtin" }, "INVALID_ARGUMENT", /id/);
    });
  });
}
