import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../../server/domain/ports/blobs.ts";
import { storageFaultOf } from "../../server/domain/storage-fault.ts";
import { openLocalCache } from "../../server/storage/blobs/s3/local-cache.ts";
import { openS3Blobs } from "../../server/storage/blobs/s3/store.ts";
import { createS3Clients } from "../../server/storage/s3/client.ts";
import { hasS3Server, type S3Server, s3Reason, startS3Server } from "../servers/s3.ts";
import { startFaultyProxy } from "../service/faulty-proxy.ts";
import { blobsContract } from "./blobs.contract.ts";
import { openTestBlobs, type S3Blobs } from "./testing/s3-blobs.ts";

const mib = 2 ** 20;
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function* inChunks(bytes: Uint8Array, chunkBytes = 700_000): AsyncGenerator<Uint8Array> {
  // One buffer for all chunks, as uploads have it.
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const length = Math.min(chunkBytes, bytes.length - at);
    chunk.set(bytes.subarray(at, at + length));
    yield chunk.subarray(0, length);
  }
}

async function read(blobs: BlobStore, key: string): Promise<Buffer> {
  const opened = await blobs.get(key);
  return Buffer.concat(await Array.fromAsync(opened?.body ?? []));
}

describe.skipIf(!hasS3Server)(`blobs in S3${s3Reason}`, () => {
  let server: S3Server;
  const opened: S3Blobs[] = [];
  const open = async (options?: Parameters<typeof openTestBlobs>[1]): Promise<S3Blobs> => {
    const store = await openTestBlobs(server, options);
    opened.push(store);
    return store;
  };
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(async () => {
    for (const store of opened) await store.dispose();
    await server.stop();
  });

  blobsContract("S3", async () => ({ ...(await openTestBlobs(server)) }));

  describe("of the server that stands for all", () => {
    let client: S3Client;
    beforeAll(() => {
      client = createS3Clients(server.environment()).usual;
    });

    /** How many of 20 that write one key at the same time succeed; the others must be refused for the condition. */
    async function race(Key: string, condition: { IfNoneMatch?: string; IfMatch?: string }): Promise<number> {
      const input = { Bucket: server.bucket, Key, ...condition };
      const writes = Array.from({ length: 20 }, (_, at) =>
        client.send(new PutObjectCommand({ ...input, Body: `${at}` })),
      );
      const outcomes = await Promise.allSettled(writes);
      const refused = outcomes.flatMap((each) =>
        each.status === "rejected" ? [each.reason as S3ServiceException] : [],
      );
      expect(refused.every(({ $metadata }) => $metadata.httpStatusCode === 412)).toBe(true);
      return outcomes.length - refused.length;
    }

    it("lets one of 20 racers win whose condition is that there is nothing, or what they have seen", async () => {
      for (let round = 0; round < 50; round++) {
        expect(await race(`race/none-${round}`, { IfNoneMatch: "*" })).toBe(1);
        const Key = `race/match-${round}`;
        const { ETag = "" } = await client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body: "first" }));
        expect(await race(Key, { IfMatch: ETag })).toBe(1);
      }
    });
  });

  describe("large and small", () => {
    it("stores in parts what is larger than one, byte for byte", async () => {
      const { blobs, listEverything, prefix } = await open();
      for (const size of [10 * mib - 1, 10 * mib, 10 * mib + 1, 33 * mib + 7]) {
        const bytes = randomBytes(size);
        expect(await blobs.put("originals/large", inChunks(bytes))).toEqual({ size, sha256: sha256(bytes) });
        expect((await read(blobs, "originals/large")).equals(bytes)).toBe(true);
      }
      expect(await listEverything()).toEqual([`${prefix}originals/large`]);
    });

    it("leaves no upload behind when the body or the signal fails in the middle of one in parts", async () => {
      const { blobs, listEverything } = await open();
      const broken = async function* () {
        yield* inChunks(randomBytes(25 * mib));
        throw new Error("the line is dead");
      };
      await expect(blobs.put("originals/broken", broken())).rejects.toThrow("the line is dead");
      const aborting = new AbortController();
      const endless = async function* () {
        for (let chunks = 0; ; chunks++) {
          if (chunks === 30) aborting.abort(new Error("nobody waits"));
          yield Buffer.alloc(mib);
        }
      };
      await expect(blobs.put("originals/endless", endless(), aborting.signal)).rejects.toThrow("nobody waits");
      expect(await listEverything()).toEqual([]);
    });

    it("assembles parts inside the store, also where some are too small for it", async () => {
      const { blobs, listEverything } = await open();
      const sizes = [6 * mib, 3, 0, 11 * mib, 5 * mib, 2 * mib, 2 * mib, 2 * mib, 7 * mib, 100];
      const parts = sizes.map((size) => randomBytes(size));
      for (const [at, part] of parts.entries()) await blobs.put(`parts/${at}`, inChunks(part));
      const keys = parts.map((_, at) => `parts/${at}`);
      const whole = Buffer.concat(parts);
      expect(await blobs.assemble("originals/whole", keys)).toEqual({ size: whole.length, sha256: sha256(whole) });
      expect((await read(blobs, "originals/whole")).equals(whole)).toBe(true);
      const before = await listEverything();
      expect(await blobs.assemble("originals/none", [...keys, "parts/gone"])).toBeUndefined();
      const aborting = new AbortController();
      const assembling = blobs.assemble("originals/none", keys, aborting.signal);
      setTimeout(() => aborting.abort(new Error("nobody waits")), 20);
      await expect(assembling).rejects.toThrow("nobody waits");
      expect(await listEverything()).toEqual(before);
    });

    it("removes more than one request may name, and lists more than one page", async () => {
      const { blobs, listEverything } = await open();
      const keys = Array.from({ length: 1_100 }, (_, at) => `renditions/ds_1/${at}.jpg`);
      for (let from = 0; from < keys.length; from += 50) {
        await Promise.all(keys.slice(from, from + 50).map((key) => blobs.put(key, inChunks(Buffer.from("x")))));
      }
      await blobs.put("renditions/ds_11/1.jpg", inChunks(Buffer.from("x")));
      expect(await Array.fromAsync(blobs.list())).toHaveLength(1_101);
      await blobs.removePrefix("renditions/ds_1/");
      expect(await listEverything()).toHaveLength(1);
    });

    it("ends uploads that were abandoned a day ago, and no others", async () => {
      const { blobs, prefix, listEverything } = await open();
      const client = createS3Clients(server.environment()).usual;
      await client.send(new CreateMultipartUploadCommand({ Bucket: server.bucket, Key: `${prefix}originals/left` }));
      await blobs.removeAbandoned(Date.now() + 23 * 3_600_000);
      expect(await listEverything()).toHaveLength(1);
      await blobs.removeAbandoned(Date.now() + 25 * 3_600_000);
      expect(await listEverything()).toEqual([]);
    });
  });

  describe("as local files", () => {
    const entries = async (folder: string): Promise<string[]> => readdir(join(folder, "entries"));

    it("downloads a blob once for all who want it, and what has replaced it anew", async () => {
      const { blobs, folder } = await open();
      const [old, next] = [randomBytes(3 * mib), randomBytes(2 * mib)];
      await blobs.put("originals/ds_1", inChunks(old));
      const files = await Promise.all(Array.from({ length: 8 }, () => blobs.asFile("originals/ds_1")));
      expect(await entries(folder)).toHaveLength(1);
      await blobs.put("originals/ds_1", inChunks(next));
      const later = await blobs.asFile("originals/ds_1");
      for (const file of files) expect((await readFile(file?.path ?? "")).equals(old)).toBe(true);
      expect((await readFile(later?.path ?? "")).equals(next)).toBe(true);
      for (const file of [...files, later]) await file?.release();
      expect(await readdir(join(folder, "in-use"))).toEqual([]);
    });

    it("keeps what was used last within its bound, and never takes what is in use", async () => {
      const { blobs, folder } = await open({ maxBytes: 5 * mib });
      for (const at of [1, 2, 3, 4]) await blobs.put(`originals/${at}`, inChunks(randomBytes(2 * mib)));
      const held = await blobs.asFile("originals/1");
      // Another process of the machine, which knows nothing of this one's files.
      const cache = await openLocalCache({ folder, maxBytes: 5 * mib });
      const environment = server.environment();
      const prefix = opened.at(-1)?.prefix ?? "";
      const other = await openS3Blobs({ bucket: server.bucket, prefix, environment, cache });
      for (const at of [2, 3, 4]) await (await other.asFile(`originals/${at}`))?.release();
      expect(await entries(folder)).toHaveLength(2);
      expect((await readFile(held?.path ?? "")).length).toBe(2 * mib);
      await held?.release();
      await (await other.asFile("originals/2"))?.release();
      await (await other.asFile("originals/3"))?.release();
      expect(await entries(folder)).toHaveLength(2);
      await other.close();
    });
  });

  describe("faults", () => {
    it("says what is wrong with the address at the start", async () => {
      const cache = await openLocalCache({ folder: (await open()).folder, maxBytes: mib });
      const environment = server.environment();
      const options = { bucket: server.bucket, prefix: "", environment, cache };
      await expect(openS3Blobs({ ...options, bucket: "no-such-bucket" })).rejects.toThrow(/no bucket no-such-bucket/);
      const credentials = { accessKeyId: "drs", secretAccessKey: "wrong" };
      await expect(openS3Blobs({ ...options, environment: { ...environment, credentials } })).rejects.toThrow(
        /does not let these credentials into the bucket/,
      );
      const nobody = { ...environment, endpoint: "http://127.0.0.1:1" };
      await expect(openS3Blobs({ ...options, environment: nobody })).rejects.toThrow(/cannot be used: .*ECONNREFUSED/);
    });

    it("goes on with a body whose connection breaks, and gives no other bytes when the blob has gone", async () => {
      const { blobs: direct, prefix } = await open();
      const bytes = randomBytes(4 * mib);
      await direct.put("originals/cut", inChunks(bytes));
      let answers = 0;
      const proxy = await startFaultyProxy(server.url, (line) => {
        if (!line.startsWith("GET") || !line.includes("originals/cut")) return undefined;
        answers += 1;
        return answers === 1 ? "half" : undefined;
      });
      const cache = await openLocalCache({ folder: (await open()).folder, maxBytes: mib });
      const blobs = await openS3Blobs({
        bucket: server.bucket,
        prefix,
        environment: server.environment(proxy.url),
        cache,
      });
      expect((await read(blobs, "originals/cut")).equals(bytes)).toBe(true);
      expect(answers).toBe(2);
      answers = 0;
      const cut = await blobs.get("originals/cut");
      await direct.put("originals/cut", inChunks(randomBytes(4 * mib)));
      expect(await Array.fromAsync(cut?.body ?? []).then(() => "read", storageFaultOf)).toBe("unreachable");
      await blobs.close();
      await proxy.close();
    });

    it("tells what passes by itself from what an operator has to see to", async () => {
      const { blobs } = await open();
      await blobs.put("originals/there", inChunks(Buffer.from("x")));
      await server.kill();
      const failures = await Promise.allSettled([
        blobs.put("originals/new", inChunks(randomBytes(mib))),
        blobs.put("originals/large", inChunks(randomBytes(12 * mib))),
        blobs.stat("originals/there"),
        blobs.get("originals/there"),
        blobs.asFile("originals/there"),
        blobs.assemble("originals/both", ["originals/there", "originals/there"]),
        blobs.remove("originals/there"),
        blobs.removePrefix("originals/"),
        blobs.ping(),
      ]);
      await server.start();
      const faults = failures.map((each) => (each.status === "rejected" ? storageFaultOf(each.reason) : "none"));
      expect(faults).toEqual(faults.map(() => "unreachable"));
      expect(await blobs.stat("originals/there")).toEqual({ size: 1 });
    });

    it("asks again when the store has no time, and gives up in the end", async () => {
      const asked = new Map<string, number>();
      const proxy = await startFaultyProxy(server.url, (line) => {
        if (!line.includes("originals/")) return undefined;
        const times = (asked.get(line) ?? 0) + 1;
        asked.set(line, times);
        return line.includes("never") || times === 1 ? 503 : undefined;
      });
      const { blobs } = await open({ endpoint: proxy.url });
      await blobs.put("originals/later", inChunks(Buffer.from("x")));
      expect(await blobs.stat("originals/later")).toEqual({ size: 1 });
      const failing = blobs.put("originals/never", inChunks(Buffer.from("x")));
      expect(await failing.then(String, storageFaultOf)).toBe("unreachable");
      await proxy.close();
    });
  });
});
