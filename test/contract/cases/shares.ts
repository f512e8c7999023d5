import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf } from "../answers.ts";
import type { SharedBytes } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownDataset } from "../world.ts";

export function sharesCases(scene: Scene): void {
  interface Link {
    readonly id: string;
    readonly token: string;
  }
  const linkOf = (resource: JsonObject): Link => ({
    id: String(resource["id"]),
    token: String(objectAt(resource, "share")["token"]),
  });

  async function datasetLink(id: string, key?: string): Promise<Link> {
    const outcome = await scene.api.call("getDataset", { id }, key === undefined ? {} : { key });
    return linkOf(objectAt(bodyOf(outcome), "dataset"));
  }

  async function itemLink(datasetId: string, row: string, page: number, key?: string): Promise<Link> {
    const request = { datasetId, row, cols: [String(page)] };
    const outcome = await scene.api.call("listItems", request, key === undefined ? {} : { key });
    return linkOf(listAt(bodyOf(outcome), "data")[0] ?? {});
  }

  async function opened({ id, token }: Link): Promise<SharedBytes> {
    const content = await scene.api.readShare(id, token);
    if (!content.ok) throw new Error(`${content.code}: ${content.message}`);
    expect(content.bytes.length).toBe(content.size);
    expect(content.etag).not.toBe("");
    return content;
  }

  describe("share links", () => {
    test("a dataset's link gives the uploaded file", async () => {
      const job = await scene.uploaded("extract", { file: onePage, fileName: "Leuchtürme.pdf" });
      const { bytes, ...content } = await opened(await datasetLink(String(job["datasetId"])));
      expect(content).toMatchObject({ contentType: "application/pdf", fileName: "Leuchtürme.pdf" });
      expect(bytes.equals(onePage)).toBe(true);
    });

    test.each([
      ["pdf", "application/pdf", "zoo-page-2.pdf", /^%PDF-/],
      ["jpg", "image/jpeg", "zoo-page-2.jpg", /^\xff\xd8\xff/],
    ])("an item's link gives its %s", async (row, contentType, fileName, start) => {
      const content = await opened(await itemLink(scene.world.zoo, row, 2));
      expect(content).toMatchObject({ contentType, fileName });
      expect(content.bytes.toString("latin1")).toMatch(start);
    });

    test("an embedding's link gives its floats", async () => {
      const { contentType, bytes } = await opened(await itemLink(scene.world.zoo, "embedding_image", 2));
      expect(contentType).toBe("application/octet-stream");
      const values = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
      expect(values.length).toBeGreaterThan(1);
      expect(Math.hypot(...values)).toBeCloseTo(1, 3);
    });

    test("a token opens its own id and no other, of this or another workspace", async () => {
      const { zoo, plain, foreign, foreignKey } = scene.world;
      const own = await itemLink(zoo, "jpg", 1);
      const others = await Promise.all([
        itemLink(zoo, "jpg", 2),
        itemLink(zoo, "pdf", 1),
        itemLink(plain, "jpg", 1),
        datasetLink(zoo),
        itemLink(foreign, "jpg", 1, foreignKey),
        datasetLink(foreign, foreignKey),
      ]);
      await opened(own);
      const attempts = [
        { id: own.id, token: "x" },
        ...others.map(({ token }) => ({ id: own.id, token })),
        ...others.map(({ id }) => ({ id, token: own.token })),
        { id: unknownDataset, token: own.token },
        { id: "../../etc/passwd", token: own.token },
      ];
      const answers = await Promise.all(
        attempts.map(async ({ id, token }) => {
          const { code, message } = refusalOf(await scene.api.readShare(id, token));
          return `${code}: ${message}`;
        }),
      );
      expect([...new Set(answers)]).toEqual([expect.stringMatching(/^PERMISSION_DENIED: this link is not valid/)]);
    });

    test("a link needs its token", async () => {
      const { id } = await datasetLink(scene.world.zoo);
      expect(refusalOf(await scene.api.readShare(id, "")).code).toMatch(/^(?:PERMISSION_DENIED|INVALID_ARGUMENT)$/);
    });

    test("live on when another key signs the next ones; only those who run the service change it", async () => {
      const before = await datasetLink(scene.world.zoo);
      const rotation = objectAt(bodyOf(await scene.api.call("rotateLinks", {})), "rotation");
      const { rotatedAt, olderEndBy } = rotation;
      expect(Math.abs(Number(rotatedAt) - Date.now())).toBeLessThan(60_000);
      expect(Number(olderEndBy) - Number(rotatedAt)).toBe(604_800_000);
      await opened(before);
      await opened(await datasetLink(scene.world.zoo));
      const events = bodyOf(await scene.api.call("listAuditEvents", { action: "link.rotate" }));
      expect(listAt(events, "data")[0]).toMatchObject({ action: "link.rotate", at: rotatedAt ?? null });
      const created = bodyOf(await scene.api.call("createOrganisation", { name: "House of Links" }));
      const key = String(objectAt(created, "created")["apiKey"]);
      expect(await scene.api.call("rotateLinks", { revoke: true }, { key })).toMatchObject({
        ok: false,
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(/only those who run this service/),
      });
      await opened(before);
    });
  });
}
