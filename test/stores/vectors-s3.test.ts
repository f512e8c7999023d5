import { DeleteObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { storageFaultOf } from "../../server/domain/storage-fault.ts";
import { createS3Clients, type S3Clients } from "../../server/storage/s3/client.ts";
import { type LanceOptions, openLanceVectors } from "../../server/storage/vectors/open.ts";
import { inS3 } from "../../server/storage/vectors/place.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { type Catalog, openCatalog, sweepTables } from "./testing/lance-folder.ts";
import { axis, pagesOf, scope } from "./testing/vectors.ts";
import { type Index, putPages, text, whole, words } from "./testing/whole-pack.ts";
import { vectorsContract } from "./vectors.contract.ts";

describe.skipIf(!hasS3Server)(`vectors in S3${s3Reason}`, () => {
  let server: S3Server;
  let clients: S3Clients;
  /** By prefix. */
  const catalogs = new Map<string, Promise<Catalog>>();
  let count = 0;
  const stores: VectorStore[] = [];
  beforeAll(async () => {
    server = await startS3Server();
    clients = createS3Clients(server.environment());
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    for (const catalog of catalogs.values()) {
      const { close, dispose } = await catalog;
      await close();
      await dispose();
    }
    clients.close();
    await server.stop();
  });

  const prefixOf = (): string => `vectors-${(count += 1)}`;
  async function metadataOf(prefix: string): Promise<Metadata> {
    const catalog = catalogs.get(prefix) ?? openCatalog();
    catalogs.set(prefix, catalog);
    return (await catalog).metadata;
  }
  async function open(prefix: string, options: Partial<LanceOptions> = {}): Promise<VectorStore> {
    const place = inS3(`s3://${server.bucket}/${prefix}`, server.environment());
    const metadata = await metadataOf(prefix);
    const store = await openLanceVectors({ ...place, metadata, clock: Date.now, retentionMs: 0, ...options });
    stores.push(store);
    return store;
  }

  /** The objects of a store, with their sizes. */
  async function objectsIn(prefix: string): Promise<readonly { readonly key: string; readonly bytes: number }[]> {
    const found: { key: string; bytes: number }[] = [];
    const input = { Bucket: server.bucket, Prefix: `${prefix}/` };
    for await (const page of paginateListObjectsV2({ client: clients.usual }, input)) {
      for (const { Key = "", Size = 0 } of page.Contents ?? []) found.push({ key: Key, bytes: Size });
    }
    return found;
  }

  vectorsContract("LanceDB in S3", async () => {
    const prefix = prefixOf();
    const metadata = await metadataOf(prefix);
    const sweeping = await open(prefix);
    return {
      connect: () => open(prefix),
      sweep: () => sweepTables(metadata, sweeping),
      size: async () => (await objectsIn(prefix)).reduce((sum, { bytes }) => sum + bytes, 0),
      dispose: async () => undefined,
    };
  });

  const newIndex = (): Index => ({ workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" });
  const found = async (store: VectorStore, { workspaceId }: Index): Promise<readonly number[]> => {
    const hits = await store.searchDense(text, axis(0), scope(workspaceId, undefined, 100));
    return pagesOf(hits).toSorted((one, other) => one - other);
  };

  it("goes on with a table that another process has removed and made again", async () => {
    const prefix = prefixOf();
    const [one, other] = [await open(prefix), await open(prefix)];
    const metadata = await metadataOf(prefix);
    const index = newIndex();
    await putPages(one, index, { 1: { at: 0 } });
    expect(await found(other, index)).toEqual([1]);
    await one.removePack(whole.id);
    await sweepTables(metadata, one);
    expect(await found(other, index)).toEqual([]);
    await putPages(other, index, { 2: { at: 0 } });
    expect(await found(one, index)).toEqual([2]);
    await other.removePack(whole.id);
    await sweepTables(metadata, other);
    await putPages(one, index, { 3: { at: 0 } });
    expect(await found(other, index)).toEqual([3]);
  });

  it("loses nothing when connections write, remove and maintain at the same time", async () => {
    const prefix = prefixOf();
    const reasons: string[] = [];
    const onGivenUp: LanceOptions["onGivenUp"] = (_, why) => reasons.push(why);
    const writers = await Promise.all(Array.from({ length: 4 }, () => open(prefix, { onGivenUp })));
    const index = newIndex();
    const gone = { ...index, datasetId: newDatasetId() };
    const remove = (store: VectorStore) => store.remove({ ...gone, pack: whole.id, generation: undefined });
    await Promise.all(
      writers.map(async (writer, at) => {
        for (let round = 0; round < 6; round++) {
          const page = at * 6 + round + 1;
          await putPages(writer, index, { [page]: { at: page } });
          await putPages(writer, gone, { [page]: { words: "gone" } });
          if (at === 0) await writer.maintain();
          if (at === 1) await remove(writer);
        }
      }),
    );
    const [last = await open(prefix)] = writers.slice(2);
    await remove(last);
    expect(reasons).toEqual([]);
    expect(await found(last, index)).toEqual(Array.from({ length: 24 }, (_, at) => at + 1));
    expect(await last.searchLexical(words, "gone", scope(index.workspaceId))).toEqual([]);
  });

  describe("damage", () => {
    it.each(["/data/", "/_versions/", "/_indices/"])(
      "of objects in %s costs the table, which is made again",
      async (part) => {
        const prefix = prefixOf();
        const reasons: string[] = [];
        const store = await open(prefix, { onGivenUp: (_, why) => reasons.push(why) });
        const index = newIndex();
        const of = { workspaceId: index.workspaceId, pack: whole.id };
        for (let page = 1; page <= 4; page++) await putPages(store, index, { [page]: { words: "otter", at: 0 } });
        await store.maintain();
        expect(await found(store, index)).toEqual([1, 2, 3, 4]);
        for (const { key: Key } of await objectsIn(prefix)) {
          if (Key.includes(part)) await clients.usual.send(new DeleteObjectCommand({ Bucket: server.bucket, Key }));
        }
        expect(await store.verify(of)).toMatch(/./);
        expect(reasons).toHaveLength(1);
        expect(await found(store, index)).toEqual([]);
        expect(await (await metadataOf(prefix)).indexTables.find(of)).toBeUndefined();
        await putPages(store, index, { 1: { words: "otter", at: 0 } });
        expect(await found(store, index)).toEqual([1]);
      },
    );

    it("is not what tables are that others write, remove and maintain meanwhile", async () => {
      const prefix = prefixOf();
      const reasons: string[] = [];
      const onGivenUp: LanceOptions["onGivenUp"] = (_, why) => reasons.push(why);
      const [store, other] = [await open(prefix, { onGivenUp }), await open(prefix, { onGivenUp })];
      const index = newIndex();
      const writing = async () => {
        for (let page = 1; page <= 12; page++) {
          await putPages(other, index, { [page]: { words: "otter", at: 0 } });
          await other.maintain();
        }
      };
      const looking = async () => {
        for (let round = 0; round < 20; round++) {
          expect(await store.verify({ workspaceId: index.workspaceId, pack: whole.id })).toBeUndefined();
        }
      };
      await Promise.all([writing(), looking()]);
      expect(reasons).toEqual([]);
      expect(await found(store, index)).toHaveLength(12);
    });
  });

  it("says that the store is away, gives no table up for it, and goes on when it is back", async () => {
    const reasons: string[] = [];
    const store = await open(prefixOf(), { onGivenUp: (_, why) => reasons.push(why) });
    const index = newIndex();
    const of = { workspaceId: index.workspaceId, pack: whole.id };
    await putPages(store, index, { 1: { at: 0 } });
    await server.kill();
    const failures = await Promise.allSettled([
      putPages(store, index, { 2: { at: 0 } }),
      store.searchDense(text, axis(0), scope(index.workspaceId)),
      store.remove({ ...of, datasetId: index.datasetId }),
      store.maintain(),
      putPages(store, newIndex(), { 1: { at: 0 } }),
      store.removeTable("a-table"),
      store.verify(of),
      store.ping(),
    ]);
    await server.start();
    const faults = failures.map((each) => (each.status === "rejected" ? storageFaultOf(each.reason) : "none"));
    expect(faults).toEqual(faults.map(() => "unreachable"));
    expect(reasons).toEqual([]);
    await putPages(store, index, { 2: { at: 0 } });
    expect(await found(store, index)).toEqual([1, 2]);
  });

  it("says when it is not let in, and when there is no bucket", async () => {
    const environment = server.environment();
    const credentials = { accessKeyId: "drs", secretAccessKey: "wrong" };
    for (const place of [
      inS3(`s3://${server.bucket}/x`, { ...environment, credentials }),
      inS3("s3://no-such-bucket/x", environment),
    ]) {
      const store = await openLanceVectors({ ...place, metadata: await metadataOf(place.url), clock: Date.now });
      expect(await store.ping().then(() => "open", storageFaultOf)).toBe("refused");
      await store.close();
    }
  });
});
