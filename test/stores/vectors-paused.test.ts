import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace, SpaceRef, VectorStore } from "../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { inS3 } from "../../server/storage/vectors/place.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { type HoldingProxy, startHoldingProxy } from "../service/holding-proxy.ts";
import { axis, dense, lexical, wordsInIndex } from "./testing/vectors.ts";

const coded: DenseSpace = { ...dense, name: "coded", firstPass: "first" };
const pooled: DenseSpace = { ...dense, name: "late", scoring: "max-sim", firstPass: "pooled" };
const spaces: readonly SpaceRef[] = [dense, coded, pooled, lexical];

const isManifest = (line: string): boolean => line.startsWith("PUT ") && line.includes("/_versions/");
const isListing = (line: string): boolean => line.startsWith("GET ") && line.includes("_versions");

describe.skipIf(!hasS3Server)(`a process that is stopped while it writes to S3${s3Reason}`, () => {
  let server: S3Server;
  let proxy: HoldingProxy;
  let count = 0;
  const stores: VectorStore[] = [];
  beforeAll(async () => {
    server = await startS3Server();
    proxy = await startHoldingProxy(server.url);
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await proxy.close();
    await server.stop();
  });

  async function open(prefix: string, endpoint?: string): Promise<VectorStore> {
    const store = await openLanceVectors({
      ...inS3(`s3://${server.bucket}/${prefix}`, server.environment(endpoint)),
      retentionMs: 0,
      wordsInMemory: wordsInIndex,
    });
    stores.push(store);
    return store;
  }

  /** A table with page 1, a store whose requests can be held, and one that goes on meanwhile. */
  async function filled(space: SpaceRef) {
    const prefix = `paused-${(count += 1)}`;
    const [going, stopped] = [await open(prefix), await open(prefix, proxy.url)];
    const key = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
    const put = (store: VectorStore, page: number, word = "word") =>
      space.kind === "lexical"
        ? store.putLexical(space, [{ ...key, page, words: `${word} ${page}` }])
        : store.putDense(space, [{ ...key, page, vectors: [axis(page, 0.3), axis(7)], pooled: [axis(page)] }]);
    const pages = async (): Promise<readonly number[]> => {
      const rows = await Array.fromAsync(going.rowsOf(space));
      return rows.map(({ page }) => page).toSorted((one, other) => one - other);
    };
    await put(going, 1);
    return { going, stopped, put, pages, ...key };
  }

  /** Runs the task; others make the version that it is about to write, and newer ones, and remove the older of them. */
  async function overtaken(task: () => Promise<void>, others: () => Promise<void>): Promise<void> {
    const { held, release } = proxy.hold(isManifest);
    const running = task();
    await held;
    await others();
    release();
    await running;
  }

  it.each(spaces)("loses no row of $name", async (space) => {
    const { going, stopped, put, pages } = await filled(space);
    await overtaken(
      () => put(stopped, 2),
      async () => {
        for (const page of [3, 4]) await put(going, page);
        await going.maintain();
      },
    );
    expect(await pages()).toEqual([1, 2, 3, 4]);
  });

  it("replaces a row", async () => {
    const { going, stopped, put, datasetId } = await filled(lexical);
    await overtaken(
      () => put(stopped, 1, "later"),
      async () => {
        for (const page of [3, 4]) await put(going, page);
        await going.maintain();
      },
    );
    const rows = (await Array.fromAsync(going.readRows(lexical, [datasetId]))).flat();
    expect(rows.filter(({ page }) => page === 1)).toMatchObject([{ terms: "later 1" }]);
    expect(rows).toHaveLength(3);
  });

  it("removes rows", async () => {
    const { going, stopped, put, pages, workspaceId, datasetId } = await filled(lexical);
    const other = newDatasetId();
    await overtaken(
      () => stopped.removeDataset(datasetId),
      async () => {
        for (const page of [3, 4]) {
          await going.putLexical(lexical, [{ workspaceId, datasetId: other, generation: "", page, words: "stays" }]);
        }
        await going.maintain();
      },
    );
    expect(await pages()).toEqual([3, 4]);
    await put(stopped, 1);
    expect(await pages()).toEqual([1, 3, 4]);
  });

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
