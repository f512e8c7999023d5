import { createDrs, type Drs } from "@drs/client";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, asyncProperty, constantFrom, nat, type JsonValue, oneof, record } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSettings } from "../../server/config.ts";
import { DomainError } from "../../server/domain/errors.ts";
import type { PackRanking } from "../../server/domain/ports/pack-ranking.ts";
import type { StoredRow } from "../../server/domain/ports/vectors.ts";
import { exportFrom, importInto } from "../../server/keep.ts";
import { decodeRows, encodeRows } from "../../server/storage/vectors/arrow-file.ts";
import { createPacks } from "../../server/domain/models/packs.ts";
import { openPackRegistry } from "../../server/embedding/registry.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { makePdf } from "../fixtures/pdf.ts";
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
    const options = { dir: whole, withVectors: true, signal: AbortSignal.timeout(60_000), onProgress: () => undefined };
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
  async function tried(change: (dir: string) => Promise<void>): Promise<Error | undefined> {
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
    await expectReadable(createDrs({ server: server.url, apiKey: key }), refusal === undefined);
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
    ["named twice", (list) => ({ ...list, vectors: list.vectors.map((file) => ({ ...file, number: 1 })) })],
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
    const files = listed.vectors.filter(({ kind }) => kind === "dense");
    await assert(
      asyncProperty(
        record({ file: place, row: place, at: place, bits: constantFrom(0x7f, 0x80, 0xff, 0x40) }),
        async (how) => {
          const file = files[how.file % files.length];
          if (file === undefined) throw new Error("no file of vectors");
          const cause = await tried((dir) =>
            spoilRows(dir, listed, file, (rows) => spoilRow(rows[how.row % rows.length], how)),
          );
          if (cause === undefined) return;
          refused += 1;
          expect(cause).toBeInstanceOf(DomainError);
          expect(cause.message).toContain(`vectors/${listed.id}/`);
        },
      ),
      { numRuns: 12, seed: seed() },
    );
    expect(refused).toBeGreaterThan(0);
  });

  test.each<[string, (row: Coded) => void]>([
    ["the scale of its first vector", ({ codes }) => viewOf(codes).setFloat32(0, 1_000, true)],
    ["a scale that is no number", ({ codes }) => viewOf(codes).setFloat32(0, Number.NaN, true)],
    ["the length of its first vector", ({ first }) => first.forEach((value, at) => (first[at] = value * 1_000))],
  ])("%s is refused by name", async (_, change) => {
    const file = listed.vectors.find(({ space }) =>
      pack.spaces.some((one) => one.name === space && "firstPass" in one && one.firstPass === "first"),
    );
    if (file === undefined) throw new Error("the pack has no space of codes");
    const spoil = (rows: readonly StoredRow[]) => rows.forEach((row) => "codes" in row && change(row));
    const cause = await tried((dir) => spoilRows(dir, listed, file, spoil));
    expect(cause?.message).toMatch(/^vectors\/ds_\w+\/\d+\.arrow of the archive has page 1 .*(scale|length)/);
  });

  async function spoilRows(
    dir: string,
    list: Listed,
    file: Listed["vectors"][number],
    spoil: (rows: readonly StoredRow[]) => void,
  ): Promise<void> {
    const space = pack.spaces.find(({ name, kind }) => name === file.space && kind === file.kind);
    if (space === undefined) throw new Error("no such space");
    const path = join("vectors", list.id, `${String(file.number).padStart(6, "0")}.arrow`);
    const rows = await decodeRows(await readFile(join(dir, path)));
    spoil(rows);
    const bytes = Buffer.from(await encodeRows(space, rows).catch(() => Buffer.from("no rows")));
    await writeFile(join(dir, path), bytes);
    const vectors = list.vectors.map((one) => (one === file ? { ...one, ...fileOf(bytes) } : one));
    await relist(dir, { ...list, vectors });
  }
});

type Coded = Extract<StoredRow, { codes: Uint8Array }>;
interface Listed {
  readonly id: string;
  readonly pages: { readonly size: number; readonly sha256: string };
  readonly vectors: readonly { readonly space: string; readonly kind: string; readonly number: number }[];
}

const seed = (): number => Number(process.env["DRS_FUZZ_SEED"] ?? 20_261_126);
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const fileOf = (bytes: Buffer) => ({ size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });

/** Lists, items and searches answer, with times and scores that there can be. */
async function expectReadable(drs: Drs, isThere: boolean): Promise<void> {
  const { data } = await drs.datasets.page({});
  expect(data).toHaveLength(isThere ? 1 : 0);
  const soon = Date.now() + 2 * 86_400_000;
  for (const { id, createdAt } of data) {
    expect(createdAt).toBeLessThan(soon);
    await drs.items.page(id, {});
  }
  for (const question of ["walrus", "lighthouses", "the price of bread in Lisbon"]) {
    for (const { score } of await drs.search(question)) expect(score).toBeLessThanOrEqual(1);
  }
}

/** The leaf of a number, counted over all of them, with another value. */
function replaced<Json>(json: Json, at: number, value: JsonValue): Json {
  const copy = structuredClone(json);
  const leaves: (() => void)[] = [];
  const collect = (holder: object): void => {
    for (const [name, held] of Object.entries(holder)) {
      if (typeof held === "object" && held !== null) collect(held);
      leaves.push(() => Reflect.set(holder, name, value));
    }
  };
  collect(Object(copy));
  leaves[at % leaves.length]?.();
  return copy;
}

async function spoilPage(dir: string, list: Listed, at: number, value: JsonValue): Promise<void> {
  const path = join(dir, "pages", `${list.id}.jsonl`);
  const pages = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const bytes = Buffer.from(
    replaced(pages, at, value)
      .map((page) => `${JSON.stringify(page)}\n`)
      .join(""),
  );
  await writeFile(path, bytes);
  await relist(dir, { ...list, pages: { ...list.pages, ...fileOf(bytes) } });
}

function spoilRow(row: StoredRow | undefined, { at, bits }: { readonly at: number; readonly bits: number }): void {
  if (row === undefined || "terms" in row) return;
  const [values = new Float32Array()] = "codes" in row ? [row.first] : row.vectors;
  const bytes =
    "codes" in row && at % 2 === 0 ? row.codes : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const place = at % bytes.length;
  bytes[place] = (bytes[place] ?? 0) ^ bits;
}

/** Writes the list of datasets, and its checksum into the manifest. */
async function relist(dir: string, list: Listed): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(list)}\n`);
  await writeFile(join(dir, "datasets.jsonl"), bytes);
  const manifest = JSON.parse(await readFile(join(dir, "manifest.json"), "utf8")) as object;
  await writeFile(join(dir, "manifest.json"), JSON.stringify({ ...manifest, list: fileOf(bytes) }));
}
