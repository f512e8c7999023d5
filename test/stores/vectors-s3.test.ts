import { paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { VectorStore } from "../../server/domain/ports/vectors.ts";
import { storageFaultOf } from "../../server/domain/storage-fault.ts";
import { createS3Clients, type S3Clients } from "../../server/storage/s3/client.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { inS3 } from "../../server/storage/vectors/place.ts";
import { createObjects, type Objects } from "../../server/storage/vectors/s3/objects.ts";
import { repairRemoteTables } from "../../server/storage/vectors/s3/repair.ts";
import { inTurn } from "../../server/storage/vectors/s3/turn.ts";
import { tableName } from "../../server/storage/vectors/table-names.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { axis, dense, lexical, pagesOf, scope } from "./testing/vectors.ts";
import { vectorsContract } from "./vectors.contract.ts";

describe.skipIf(!hasS3Server)(`vectors in S3${s3Reason}`, () => {
  let server: S3Server;
  let clients: S3Clients;
  let count = 0;
  const stores: VectorStore[] = [];
  beforeAll(async () => {
    server = await startS3Server();
    clients = createS3Clients(server.environment());
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    clients.close();
    await server.stop();
  });

  const prefixOf = (): string => `vectors-${(count += 1)}`;
  async function open(prefix: string): Promise<VectorStore> {
    const store = await openLanceVectors({
      ...inS3(`s3://${server.bucket}/${prefix}`, server.environment()),
      retentionMs: 0,
    });
    stores.push(store);
    return store;
  }

  vectorsContract("LanceDB in S3", async () => {
    const prefix = prefixOf();
    return {
      connect: () => open(prefix),
      async size() {
        let bytes = 0;
        const input = { Bucket: server.bucket, Prefix: `${prefix}/` };
        for await (const page of paginateListObjectsV2({ client: clients.usual }, input)) {
          for (const { Size = 0 } of page.Contents ?? []) bytes += Size;
        }
        return bytes;
      },
      dispose: async () => undefined,
    };
  });

  const row = () => ({ workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" });

  it("goes on with a table that another process has removed and made again", async () => {
    const prefix = prefixOf();
    const [one, other] = [await open(prefix), await open(prefix)];
    const first = row();
    await one.putDense(dense, [{ ...first, page: 1, vectors: [axis(0)] }]);
    expect(pagesOf(await other.searchDense(dense, axis(0), scope(first.workspaceId)))).toEqual([1]);
    await one.removePack(dense.pack);
    expect(await other.searchDense(dense, axis(0), scope(first.workspaceId))).toEqual([]);
    await other.putDense(dense, [{ ...first, page: 2, vectors: [axis(0)] }]);
    expect(pagesOf(await one.searchDense(dense, axis(0), scope(first.workspaceId)))).toEqual([2]);
    await other.removePack(dense.pack);
    await one.putDense(dense, [{ ...first, page: 3, vectors: [axis(0)] }]);
    expect(pagesOf(await other.searchDense(dense, axis(0), scope(first.workspaceId)))).toEqual([3]);
  });

  it("loses nothing when connections write, remove and maintain at the same time", async () => {
    const prefix = prefixOf();
    const writers = await Promise.all(Array.from({ length: 4 }, () => open(prefix)));
    const { workspaceId, datasetId, generation } = row();
    const gone = newDatasetId();
    await Promise.all(
      writers.map(async (writer, at) => {
        for (let round = 0; round < 6; round++) {
          const page = at * 6 + round + 1;
          await writer.putDense(dense, [{ workspaceId, datasetId, generation, page, vectors: [axis(page)] }]);
          await writer.putLexical(lexical, [{ workspaceId, datasetId: gone, generation, page, words: "gone" }]);
          if (at === 0) await writer.maintain();
          if (at === 1) await writer.removeDataset(gone);
        }
      }),
    );
    await writers[2]?.removeDataset(gone);
    const found = await writers[3]?.searchDense(dense, axis(0), scope(workspaceId, undefined, 100));
    expect(pagesOf(found ?? []).toSorted((one, next) => one - next)).toEqual(
      Array.from({ length: 24 }, (_, at) => at + 1),
    );
    expect(await writers[3]?.searchLexical(lexical, "gone", scope(workspaceId))).toEqual([]);
  });

  it("lets one process at a time make a table, and does not wait for one that was killed", async () => {
    const objects = createObjects({ clients, name: server.bucket, prefix: `${prefixOf()}/`, checksums: true });
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await objects.list("");
      running -= 1;
    };
    const turns = Array.from({ length: 8 }, () => inTurn(objects, { name: "t" }, task));
    await Promise.all(turns);
    expect(most).toBe(1);
    await objects.create(".making/t", Buffer.from("of a process that was killed"));
    await Promise.all([1, 2, 3].map(() => inTurn(objects, { name: "t", abandonedMs: 200 }, task)));
    expect(most).toBe(1);
    expect(await objects.list(".making/")).toEqual(new Map());
  });

  describe("damage", () => {
    const table = `${tableName(dense)}.lance/`;

    /** A store of four pages in four commits, and the objects that it is made of. */
    async function filled() {
      const prefix = prefixOf();
      const store = await open(prefix);
      const { workspaceId, datasetId, generation } = row();
      for (let page = 1; page <= 4; page++) {
        await store.putDense(dense, [{ workspaceId, datasetId, generation, page, vectors: [axis(0)] }]);
      }
      const bucket = { clients, name: server.bucket, prefix: `${prefix}/`, checksums: true };
      const objects = createObjects(bucket);
      const pathsIn = async (part: string) =>
        [...(await objects.list(table)).keys()].filter((path) => path.startsWith(part)).map((path) => table + path);
      const pagesFound = async () =>
        pagesOf(await store.searchDense(dense, axis(0), scope(workspaceId))).toSorted((one, other) => one - other);
      return { store, prefix, objects, pathsIn, pagesFound };
    }

    it("costs the rows of a lost object alone, is remembered by all, and leaves a table that can be used", async () => {
      const { store, prefix, objects, pathsIn, pagesFound } = await filled();
      const [lost = ""] = await pathsIn("data/");
      await objects.remove(lost);
      const other = await open(prefix);
      const [found, ...more] = await other.verify();
      expect(found).toMatchObject({ outcome: "cut", lost: 1, space: { pack: dense.pack, name: dense.name } });
      expect(found?.found).toContain(`${lost} is missing`);
      expect(more).toEqual([]);
      expect(await pagesFound()).toHaveLength(3);
      expect(await store.damage()).toEqual([found]);
      await store.settle(await store.damage());
      expect([await other.damage(), await store.verify()]).toEqual([[], []]);
    });

    it("is found by the search that meets it", async () => {
      const { prefix, objects, pathsIn } = await filled();
      const [lost = ""] = await pathsIn("data/");
      await objects.remove(lost);
      const reader = await open(prefix);
      expect(await Array.fromAsync(reader.rowsOf(dense))).toHaveLength(3);
      expect(await reader.damage()).toMatchObject([{ outcome: "cut", lost: 1 }]);
    });

    it("of an index costs no rows", async () => {
      const { store, objects, pathsIn, pagesFound } = await filled();
      await store.maintain();
      for (const path of await pathsIn("_indices/")) await objects.remove(path);
      expect(await store.verify()).toMatchObject([{ outcome: "kept", lost: 0 }]);
      expect(await pagesFound()).toEqual([1, 2, 3, 4]);
      expect(await store.verify()).toEqual([]);
    });

    it("of the newest manifest goes back to the one before, and of all of them to nothing", async () => {
      const { store, objects, pathsIn, pagesFound } = await filled();
      const [newest = "", ...older] = (await pathsIn("_versions/"))
        .filter((path) => path.endsWith(".manifest"))
        .toSorted();
      await objects.remove(newest);
      await objects.create(newest, Buffer.from("no manifest"));
      expect(await store.verify()).toMatchObject([{ outcome: "restored", lost: "unknown" }]);
      expect(await pagesFound()).toEqual([1, 2, 3]);
      for (const path of await pathsIn("_versions/")) await objects.remove(path);
      expect(older.length).toBeGreaterThan(0);
      expect(await store.verify()).toMatchObject([{ outcome: "emptied", lost: "unknown" }]);
      expect(await pagesFound()).toEqual([]);
      const { workspaceId, datasetId, generation } = row();
      await store.putDense(dense, [{ workspaceId, datasetId, generation, page: 9, vectors: [axis(0)] }]);
      expect(pagesOf(await store.searchDense(dense, axis(0), scope(workspaceId)))).toEqual([9]);
    });

    it("is not what tables are that others write, remove and maintain meanwhile", async () => {
      const { store, prefix } = await filled();
      const other = await open(prefix);
      const { workspaceId, datasetId, generation } = row();
      const writing = async () => {
        for (let page = 1; page <= 12; page++) {
          await other.putDense(dense, [{ workspaceId, datasetId, generation, page, vectors: [axis(1)] }]);
          await other.maintain();
        }
        await other.removePack(dense.pack);
      };
      const found: unknown[] = [];
      const looking = async () => {
        for (let round = 0; round < 40; round++) found.push(...(await store.verify()));
      };
      await Promise.all([writing(), looking()]);
      expect(found).toEqual([]);
    });

    it("is not where a listing has the manifest of a write, and none of what was listed before it", async () => {
      const prefix = prefixOf();
      const store = await open(prefix);
      const { workspaceId, datasetId, generation } = row();
      const put = (...pages: readonly number[]) =>
        store.putDense(
          dense,
          pages.map((page) => ({ workspaceId, datasetId, generation, page, vectors: [axis(page)] })),
        );
      await put(1, 2, 3);
      const objects = createObjects({ clients, name: server.bucket, prefix: `${prefix}/`, checksums: true });
      let isWritten = false;
      // As the parts of a long listing come, with a write between them that removes a row of the first file.
      const list: Objects["list"] = async (folder) => {
        const before = await objects.list(folder);
        if (isWritten || folder.endsWith("_versions/")) return before;
        isWritten = true;
        await put(2);
        const isListedFirst = ([path]: readonly [string, number]): boolean => path < "_transactions/";
        const after = [...(await objects.list(folder))].filter((each) => !isListedFirst(each));
        return new Map([...before].filter(isListedFirst).concat(after));
      };
      expect(await repairRemoteTables({ ...objects, list }, [tableName(dense)])).toEqual([]);
      const pages = (await Array.fromAsync(store.rowsOf(dense))).map(({ page }) => page);
      expect(pages.toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
    });
  });

  it("says that the store is away, and goes on when it is back", async () => {
    const store = await open(prefixOf());
    const { workspaceId, datasetId, generation } = row();
    const put = (page: number) =>
      store.putDense(dense, [{ workspaceId, datasetId, generation, page, vectors: [axis(0)] }]);
    await put(1);
    await server.kill();
    const failures = await Promise.allSettled([
      put(2),
      store.searchDense(dense, axis(0), scope(workspaceId)),
      store.removeDataset(datasetId),
      store.maintain(),
      store.ping(),
    ]);
    await server.start();
    const faults = failures.map((each) => (each.status === "rejected" ? storageFaultOf(each.reason) : "none"));
    expect(faults).toEqual(faults.map(() => "unreachable"));
    await put(2);
    expect(await store.searchDense(dense, axis(0), scope(workspaceId))).toHaveLength(2);
  });

  it("says when it is not let in, and when there is no bucket", async () => {
    const environment = server.environment();
    const credentials = { accessKeyId: "drs", secretAccessKey: "wrong" };
    for (const place of [
      inS3(`s3://${server.bucket}/x`, { ...environment, credentials }),
      inS3("s3://no-such-bucket/x", environment),
    ]) {
      const store = await openLanceVectors(place);
      expect(await store.ping().then(() => "open", storageFaultOf)).toBe("refused");
      await store.close();
    }
  });
});
