import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DatasetId, newDatasetId, newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace, LexicalSpace, SpaceRef } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { inS3 } from "../../server/storage/vectors/place.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { type HoldingProxy, startHoldingProxy } from "../service/holding-proxy.ts";
import { bySpace, createPlacement, type Placement, type SpaceStore } from "./testing/by-space.ts";
import { type Catalog, openCatalog } from "./testing/lance-folder.ts";
import { axis, dense, lexical } from "./testing/vectors.ts";
import { readTerms } from "./testing/read-terms.ts";

const coded: DenseSpace = { ...dense, name: "coded", firstPass: "first" };
const pooled: DenseSpace = { ...dense, name: "late", scoring: "max-sim", firstPass: "pooled" };
const documents: LexicalSpace = { ...lexical, name: "documents", unit: "document" };
const spaces: readonly SpaceRef[] = [dense, coded, pooled, lexical, documents];

const isManifest = (line: string): boolean => line.startsWith("PUT ") && line.includes("/_versions/");
const isListing = (line: string): boolean => line.startsWith("GET ") && line.includes("_versions");

/** Stores of a table with page 1. */
interface Filled {
  readonly datasetId: DatasetId;
  readonly workspaceId: WorkspaceId;
  readonly going: SpaceStore;
  /** Its requests can be held. */
  readonly stopped: SpaceStore;
  put(store: SpaceStore, page: number, row?: { readonly word?: string; readonly generation?: string }): Promise<void>;
  /** In order, as often as they are there. */
  pages(): Promise<readonly number[]>;
}

describe.skipIf(!hasS3Server)(`a process that is stopped while it writes to S3${s3Reason}`, () => {
  let server: S3Server;
  let proxy: HoldingProxy;
  let catalog: Catalog;
  let count = 0;
  const stores: SpaceStore[] = [];
  beforeAll(async () => {
    server = await startS3Server();
    proxy = await startHoldingProxy(server.url);
    catalog = await openCatalog();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await catalog.close();
    await catalog.dispose();
    await proxy.close();
    await server.stop();
  });

  async function open(prefix: string, placement: Placement, endpoint?: string): Promise<SpaceStore> {
    const tables = await openLanceVectors({
      ...inS3(`s3://${server.bucket}/${prefix}`, server.environment(endpoint)),
      metadata: catalog.metadata,
      clock: Date.now,
      retentionMs: 0,
    });
    const store = bySpace(tables, placement);
    stores.push(store);
    return store;
  }

  async function filled(space: SpaceRef): Promise<Filled> {
    const prefix = `paused-${(count += 1)}`;
    const placement = createPlacement();
    const [going, stopped] = [await open(prefix, placement), await open(prefix, placement, proxy.url)];
    const key = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
    const put: Filled["put"] = (store, page, { word = "word", generation = "" } = {}) => {
      const row = { ...key, generation, page };
      return space.kind === "lexical"
        ? store.putLexical(space, [{ ...row, words: `${word} ${page}` }])
        : store.putDense(space, [{ ...row, vectors: [axis(page, 0.3), axis(7)], pooled: [axis(page)] }]);
    };
    const pages = async () => {
      const rows = await Array.fromAsync(going.rowsOf(space));
      return rows.map(({ page }) => page).toSorted((one, other) => one - other);
    };
    await put(going, 1);
    return { ...key, going, stopped, put, pages };
  }

  /**
   * Holds the nth request that `isTarget` of a task until others have made the version that it is about to write, and newer ones,
   * and have removed the older of them. False if there are not so many.
   */
  async function overtaken(
    { isTarget, nth = 1 }: { readonly isTarget: (line: string) => boolean; readonly nth?: number },
    task: () => Promise<void>,
    others: () => Promise<void>,
  ): Promise<boolean> {
    let seen = 0;
    const { held, release } = proxy.hold((line) => isTarget(line) && (seen += 1) === nth);
    const running = task();
    await Promise.race([running, held]);
    const isHeld = seen >= nth;
    if (isHeld) await others();
    release();
    await running;
    return isHeld;
  }

  it.each(spaces)("loses no row of $name where others have made its version and removed it", async (space) => {
    const { going, stopped, put, pages } = await filled(space);
    const others = async () => {
      for (const page of [3, 4]) await put(going, page);
      await going.maintain();
    };
    expect(await overtaken({ isTarget: isManifest }, () => put(stopped, 2), others)).toBe(true);
    expect(await pages()).toEqual([1, 2, 3, 4]);
  });

  it.each<{ what: string; task: (stores: Filled) => Promise<void>; rows: readonly string[] }>([
    {
      what: "adds a row",
      task: ({ stopped, put }) => put(stopped, 5),
      rows: ["gone 8", "gone 9", "word 1", "word 2", "word 3", "word 4", "word 5"],
    },
    {
      what: "replaces a row",
      task: ({ stopped, put }) => put(stopped, 2, { word: "later" }),
      rows: ["gone 8", "gone 9", "later 2", "word 1", "word 3", "word 4"],
    },
    {
      what: "removes rows",
      task: ({ stopped, datasetId }) => stopped.removeDataset(datasetId, { generation: "old" }),
      rows: ["word 1", "word 2", "word 3", "word 4"],
    },
  ])("$what at whichever of its requests it is stopped", async ({ task, rows }) => {
    for (let nth = 1; ; nth++) {
      const stores = await filled(lexical);
      const { going, put, datasetId, workspaceId } = stores;
      await put(going, 2);
      for (const page of [8, 9]) await put(going, page, { word: "gone", generation: "old" });
      const others = async () => {
        for (const page of [3, 4]) {
          await put(going, page);
          await going.maintain();
        }
      };
      if (!(await overtaken({ isTarget: () => true, nth }, () => task(stores), others))) {
        return expect(nth).toBeGreaterThan(5);
      }
      const found = await Array.fromAsync(going.rowsOf(lexical, datasetId));
      const terms = [...(await readTerms(going, lexical, { pages: found, workspaceId })).values()].toSorted();
      expect({ nth, terms }).toEqual({ nth, terms: rows });
    }
  });

  it.each(["/_versions/", "/data/", "/_indices/"])(
    "takes no table for damaged of which others have removed what it was about to read: %s",
    async (part) => {
      const { going, stopped, put, pages } = await filled(lexical);
      await going.maintain();
      const others = async () => {
        await put(going, 1);
        await put(going, 3);
        for (let round = 0; round < 2; round++) await going.maintain();
      };
      const isTarget = (line: string): boolean => line.startsWith("GET ") && line.includes(part);
      const verify = async () => expect(await stopped.verify(lexical)).toEqual([]);
      expect(await overtaken({ isTarget }, verify, others)).toBe(true);
      expect(await pages()).toEqual([1, 3]);
    },
  );

  it.each(spaces)("writes a row of $name once if others write after it", async (space) => {
    const { going, stopped, put, pages } = await filled(space);
    const written = (): number => proxy.lines.filter(isManifest).length;
    const before = written();
    const { held, release } = proxy.hold((line) => written() > before && isListing(line));
    const putting = put(stopped, 2);
    await held;
    await put(going, 3);
    release();
    await putting;
    expect(written() - before).toBe(1);
    expect(await pages()).toEqual([1, 2, 3]);
  });
});
