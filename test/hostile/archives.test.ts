import { createDrs, type Drs } from "@drs/client";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, asyncProperty, constantFrom, nat, type JsonValue, oneof, record } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSettings } from "../../server/settings/settings.ts";
import { DomainError } from "../../server/domain/errors.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import type { Features } from "../../server/domain/ports/features.ts";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { SpaceRef, StoredRow } from "../../server/domain/ports/vectors.ts";
import { exportFrom, importInto } from "../../server/offline-commands.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { createPacks } from "../../server/domain/models/packs.ts";
import { openPackRegistry } from "../../server/embedding/registry.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { marked, only, renumbered, spoilRow, withoutNumbers } from "./archives/features.ts";
import { fileOf, type Listed, relist, replaced, spoilPage } from "./archives/list.ts";
import { startCommand } from "../service/command.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** An archive whose checksums are right and whose values no upload could have made. */
describe("an archive with values of its own", { timeout: 240_000 }, () => {
  let folder: string;
  let server: TestServer;
  let drs: Drs;
  let whole: string;
  let listed: Listed;
  let pack: PackRanking;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-archive-"));
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const pdf = makePdf({
      pages: ["About the walrus.", "About the otter.", "On lighthouses."].map((text) => ({ text })),
    });
    const job = await drs.datasets.upload(pdf, {
      fileName: "animals.pdf",
      vectorize: true,
      metadata: { label: "a", tags: ["b", "c"] },
    });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    whole = join(folder, "whole");
    const options = {
      dir: whole,
      withFeatures: true,
      signal: AbortSignal.timeout(60_000),
      onProgress: () => undefined,
    };
    await exportFrom(settings(), server.credentials.workspaceId, options);
    listed = JSON.parse(await readFile(join(whole, "datasets.jsonl"), "utf8")) as Listed;
    const metadata = await openMetadata({ url: undefined, dataDir: server.dataDir });
    pack = await createPacks(metadata.packs, openPackRegistry(settings().modelsDir)).inUse();
    await metadata.close();
  }, 120_000);
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const settings = () => readSettings({ flags: { dataDir: server.dataDir, log: "error" }, env: {} });

  /** Imports a changed copy into a workspace of its own, and reads what has come by everything that reads. */
  async function tried(
    change: (dir: string) => Promise<void>,
    look?: (imported: Drs) => Promise<void>,
  ): Promise<Error | undefined> {
    const dir = await mkdtemp(join(folder, "copy-"));
    await cp(whole, dir, { recursive: true });
    await change(dir);
    const { id } = await drs.workspaces.create(`of-${dir.split("-").at(-1)}`);
    const options = { dir, newIds: true, signal: AbortSignal.timeout(60_000), onProgress: () => undefined };
    const refusal = await importInto(settings(), id, options).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    await rm(dir, { recursive: true });
    const { key } = await drs.keys.create({ workspace: id, scopes: ["read", "search"] });
    const imported = createDrs({ server: server.url, apiKey: key });
    await expectReadable(imported, refusal === undefined);
    await look?.(imported);
    if (refusal === undefined || refusal instanceof Error) return refusal;
    throw new Error("an import failed with what is no error");
  }

  test("the copy without a change comes in", async () => {
    expect(await tried(async () => undefined)).toBeUndefined();
  });

  test.each<[string, (list: Listed) => Listed]>([
    ["createdAt", (list) => ({ ...list, createdAt: 9e15 })],
    ["createdAt", (list) => ({ ...list, createdAt: Date.now() + 10 * 86_400_000 })],
    ["expiresAt", (list) => ({ ...list, expiresAt: Date.UTC(9000, 0) })],
    ["updatedAt", (list) => ({ ...list, updatedAt: -1 })],
    ["id", (list) => ({ ...list, id: `ds_7${list.id.slice(4)}` })],
  ])("%s that no upload has is refused by name", async (name, change) => {
    const cause = await tried((dir) => relist(dir, change(listed)));
    expect(cause?.message).toMatch(new RegExp(`of the archive .*${name}`));
  });

  const evil = oneof(
    constantFrom<JsonValue>(-1, 0.5, 9e15, 1e18, 1e300, 2 ** 53, 100_001, 4_102_444_800_000, null, true, [], {}, ""),
    constantFrom<JsonValue>("\0", "\ud800", "../../x", "x".repeat(20_000), "$a", "1".repeat(64), ["a", "a"], {
      a: { b: 1 },
    }),
  );
  const place = nat({ max: 1_000 });

  test.each(["datasets.jsonl", "pages"])("whichever value of %s is changed", async (where) => {
    let refused = 0;
    await assert(
      asyncProperty(place, evil, async (at, value) => {
        const cause = await tried((dir) =>
          where === "pages" ? spoilPage(dir, listed, at, value) : relist(dir, replaced(listed, at, value)),
        );
        if (cause === undefined) return;
        refused += 1;
        // A sentence that says where, and no fault of a database or of drs.
        expect(cause).toBeInstanceOf(DomainError);
        expect(cause.message).toMatch(/of the archive|the archive has|plan of the target/);
      }),
      { numRuns: 24, seed: seed() },
    );
    expect(refused).toBeGreaterThan(8);
  });

  test("whichever bytes of its vectors are changed", async () => {
    let refused = 0;
    await assert(
      asyncProperty(record({ row: place, at: place, bits: constantFrom(0x7f, 0x80, 0xff, 0x40) }), async (how) => {
        const features = await read();
        const dense = [...features.rows.values()].flat().filter((row) => !("terms" in row));
        spoilRow(dense[how.row % dense.length], how);
        const part = await featureCodec.encode(pack.spaces, features).catch(() => Buffer.from("no features"));
        const cause = await tried((dir) => putParts(dir, [part]));
        if (cause === undefined) return;
        refused += 1;
        expect(cause).toBeInstanceOf(DomainError);
        expect(cause.message).toContain(`features/${listed.id}/`);
      }),
      { numRuns: 16, seed: seed() },
    );
    expect(refused).toBeGreaterThan(0);
  });

  test.each<[string, (row: Coded) => void]>([
    ["the scale of its first vector", ({ codes }) => viewOf(codes).setFloat32(0, 1_000, true)],
    ["a scale that is no number", ({ codes }) => viewOf(codes).setFloat32(0, Number.NaN, true)],
    ["the length of its first vector", ({ first }) => first.forEach((value, at) => (first[at] = value * 1_000))],
  ])("%s is refused by name", async (_, change) => {
    const features = await read();
    let changed = 0;
    for (const row of [...features.rows.values()].flat()) {
      if (!("codes" in row)) continue;
      change(row);
      changed += 1;
    }
    expect(changed).toBe(3);
    const part = await featureCodec.encode(pack.spaces, features);
    const cause = await tried((dir) => putParts(dir, [part]));
    expect(cause?.message).toMatch(/^features\/ds_\w+\/000001\.arrow of the archive has page 1 .*(scale|length)/);
  });

  test.each<[string, (features: Features) => Promise<Uint8Array[]> | Uint8Array[], RegExp]>([
    [
      "a page that the document has not",
      async (features) => [await encode(renumbered(features, [1, 2, 4]))],
      /page 4, which/,
    ],
    [
      "a page twice",
      async (features) => [await encode({ ...features, pages: [1, 2, 2] })],
      /not unique positive integers/,
    ],
    [
      "a part without pages",
      async () => [await encode({ pages: [], rows: new Map() })],
      /no page that is not in later/,
    ],
    [
      "a part whose pages are all in a later one",
      async (features) => [await encode(only(features, 2)), await encode(features)],
      /000001\.arrow .* no page that is not in later ones/,
    ],
    [
      "vectors of other dimensions",
      async (features) => {
        const spaces = pack.spaces.map((space) => (space.kind === "dense" ? { ...space, dimensions: 8 } : space));
        return [await featureCodec.encode(spaces, { ...features, rows: new Map() })];
      },
      /text\.first/,
    ],
    [
      "features of another pack",
      async (features) => {
        const spaces = pack.spaces.map((space): SpaceRef => ({ ...space, pack: "other@1.0.0" }));
        return [await featureCodec.encode(spaces, features)];
      },
      /another model pack/,
    ],
    ["half a part", async (features) => [(await encode(features)).slice(0, 5_000)], /no Arrow IPC file/],
    [
      "values of vectors that are no numbers",
      async (features) => [withoutNumbers(await encode(marked(features)))],
      /not finite numbers|length/,
    ],
  ])("features with %s are refused by name", async (_, make, said) => {
    const parts = await make(await read());
    const cause = await tried((dir) => putParts(dir, parts));
    expect(cause).toBeInstanceOf(DomainError);
    expect(cause?.message).toMatch(said);
  });

  test("features of another document are refused by their checksum", async () => {
    const other = await encode(renumbered(await read(), [3, 1, 2]));
    const cause = await tried((dir) => writeFile(join(dir, partPath(1)), other));
    expect(cause?.message).toMatch(/other bytes|bytes instead of/);
  });

  test("of a page that several parts have the last one counts", async () => {
    const features = await read();
    const parts = [await encode(features), await encode(renumbered(only(features, 1), [2]))];
    const cause = await tried(
      (dir) => putParts(dir, parts),
      async (imported) => {
        const scores = new Map((await imported.search("walrus")).map(({ col, score }) => [col, score]));
        const [first = 0, second = 0, third = 1] = [1, 2, 3].map((page) => scores.get(page));
        expect(Math.abs(second - first)).toBeLessThan((first - third) / 4);
      },
    );
    expect(cause).toBeUndefined();
  });

  test("what refused archives have left is on the garbage list", async () => {
    const refused = await tried((dir) => relist(dir, { ...listed, pages: { ...listed.pages, count: 2 } }));
    expect(refused?.message).toMatch(/3 pages instead of 2/);
    const features = await readdir(join(server.dataDir, "blobs", "features"));
    const known = new Set(await datasetIds());
    expect(features.filter((id) => !known.has(id))).not.toEqual([]);
    const { code, stderr } = await startCommand(["verify", "--deep", "--json", "--data-dir", server.dataDir], {})
      .outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // A start knows that no import is at work.
    const { dataDir } = server;
    await server.close();
    server = await startServer({ workers: "1", dataDir });
    const left = async () => (await readdir(join(dataDir, "blobs", "features"))).filter((id) => !known.has(id));
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  });

  async function datasetIds(): Promise<readonly string[]> {
    const metadata = await openMetadata({ url: undefined, dataDir: server.dataDir });
    const ids = (await metadata.datasets.all(undefined, 1_000)).map(({ id }) => id);
    await metadata.close();
    return ids;
  }

  const partPath = (number: number): string => join("features", listed.id, `${String(number).padStart(6, "0")}.arrow`);
  const read = async (): Promise<Features> => {
    const index = { datasetId: newDatasetId(), workspaceId: newWorkspaceId(), generation: "" };
    return featureCodec.decode(pack.spaces, await readFile(join(whole, partPath(1))), index);
  };
  const encode = (features: Features): Promise<Uint8Array> => featureCodec.encode(pack.spaces, features);

  /** Puts parts in the place of those of the archive. */
  async function putParts(dir: string, parts: readonly Uint8Array[]): Promise<void> {
    for (const [at, part] of parts.entries()) await writeFile(join(dir, partPath(at + 1)), part);
    await relist(dir, { ...listed, features: parts.map((part) => fileOf(Buffer.from(part))) });
  }
});

type Coded = Extract<StoredRow, { codes: Uint8Array }>;
const seed = (): number => Number(process.env["DRS_FUZZ_SEED"] ?? 20_261_126);
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
/** Lists, items and searches answer, with times and scores that there can be. */
async function expectReadable(drs: Drs, isThere: boolean): Promise<void> {
  const { data } = await drs.datasets.page({});
  expect(data).toHaveLength(isThere ? 1 : 0);
  const soon = Date.now() + 2 * 86_400_000;
  for (const { id, createdAt } of data) {
    expect(createdAt).toBeLessThan(soon);
    await drs.items.page(id, {});
  }
  // Workers make the index of the features; until then it is named as incomplete.
  const incomplete = async () => (await drs.search("walrus")).incompleteDatasetIds;
  await expect.poll(incomplete, { timeout: 60_000 }).toEqual([]);
  for (const question of ["walrus", "lighthouses", "the price of bread in Lisbon"]) {
    for (const { score } of await drs.search(question)) expect(score).toBeLessThanOrEqual(1);
  }
}
