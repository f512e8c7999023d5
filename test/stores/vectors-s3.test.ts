import { paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { VectorStore } from "../../server/domain/ports/vectors.ts";
import { storageFaultOf } from "../../server/domain/storage-fault.ts";
import { createS3Clients, type S3Clients } from "../../server/storage/s3/client.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";
import { inS3 } from "../../server/storage/vectors/place.ts";
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
