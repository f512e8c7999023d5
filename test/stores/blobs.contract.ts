import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore, ByteRange } from "../../server/domain/ports/blobs.ts";

/** An empty blob store. */
export interface BlobFixture {
  readonly blobs: BlobStore;
  /** Every key that is there, finished or not, as the medium shows it. */
  listEverything(): Promise<string[]>;
  dispose(): Promise<void>;
}

/** The contract of every blob store. */
export function blobsContract(name: string, open: () => Promise<BlobFixture>): void {
  describe(`blobs: ${name}`, () => {
    let fixture: BlobFixture;
    beforeAll(async () => {
      fixture = await open();
    });
    afterAll(async () => fixture.dispose());

    const put = (key: string, ...chunks: Uint8Array[]) => fixture.blobs.put(key, chunksOf(chunks));
    const read = async (key: string, range?: ByteRange) => {
      const blob = await fixture.blobs.get(key, range);
      return blob && { size: blob.size, bytes: await collect(blob.body) };
    };

    it("stores what it is given, and says its size and SHA-256", async () => {
      const bytes = randomBytes(700_001);
      const stored = await put(
        "originals/ds_1",
        bytes.subarray(0, 3),
        bytes.subarray(3, 500_000),
        bytes.subarray(500_000),
      );
      expect(stored).toEqual({ size: 700_001, sha256: createHash("sha256").update(bytes).digest("hex") });
      expect(await fixture.blobs.stat("originals/ds_1")).toEqual({ size: 700_001 });
      const whole = await read("originals/ds_1");
      expect(whole?.size).toBe(700_001);
      expect(whole?.bytes.equals(bytes)).toBe(true);
    });

    it("reads ranges, both ends included, and ends where the blob ends", async () => {
      await put("originals/range", Buffer.from("0123456789"));
      expect((await read("originals/range", { start: 2, end: 4 }))?.bytes.toString()).toBe("234");
      expect((await read("originals/range", { start: 9, end: 9 }))?.bytes.toString()).toBe("9");
      const tail = await read("originals/range", { start: 7, end: 1000 });
      expect([tail?.bytes.toString(), tail?.size]).toEqual(["789", 10]);
      expect((await read("originals/range", { start: 10, end: 20 }))?.bytes.length).toBe(0);
    });

    it("lists what is finished, with its size", async () => {
      await put("parts/listed", Buffer.from("12345"));
      await put("renditions/ds_listed/1.jpg", Buffer.from("1"));
      const listed = new Map((await Array.fromAsync(fixture.blobs.list())).map(({ key, size }) => [key, size]));
      expect(listed.get("parts/listed")).toBe(5);
      expect(listed.get("renditions/ds_listed/1.jpg")).toBe(1);
      expect([...listed.keys()].every((key) => /^(originals|renditions|parts|converted)\//.test(key))).toBe(true);
      for (const key of ["parts/listed", "renditions/ds_listed/1.jpg"]) await fixture.blobs.remove(key);
    });

    it("stores an empty blob", async () => {
      expect((await put("originals/empty")).size).toBe(0);
      expect(await read("originals/empty")).toEqual({ size: 0, bytes: Buffer.alloc(0) });
    });

    it("replaces a blob at once; a reader of the old one reads it to its end", async () => {
      const old = randomBytes(2_000_000);
      await put("renditions/ds_1/7.jpg", old);
      const opened = await fixture.blobs.get("renditions/ds_1/7.jpg");
      await put("renditions/ds_1/7.jpg", Buffer.from("new"));
      expect((await read("renditions/ds_1/7.jpg"))?.bytes.toString()).toBe("new");
      if (opened === undefined) throw new Error("not opened");
      await fixture.blobs.remove("renditions/ds_1/7.jpg");
      expect((await collect(opened.body)).equals(old)).toBe(true);
    });

    it("leaves nothing behind, and the old blob in place, when the body or the signal fails", async () => {
      await put("originals/kept", Buffer.from("old"));
      const before = await fixture.listEverything();
      const broken = async function* () {
        yield Buffer.from("half");
        throw new Error("the line is dead");
      };
      await expect(fixture.blobs.put("originals/kept", broken())).rejects.toThrow("the line is dead");
      await expect(fixture.blobs.put("originals/other/new", broken())).rejects.toThrow("the line is dead");
      const aborting = new AbortController();
      let closed = false;
      const endless = async function* () {
        try {
          yield Buffer.from("half");
          aborting.abort(new Error("nobody waits"));
          yield Buffer.from("more");
        } finally {
          closed = true;
        }
      };
      await expect(fixture.blobs.put("originals/kept", endless(), aborting.signal)).rejects.toThrow("nobody waits");
      await expect.poll(() => closed).toBe(true);
      const silent = new AbortController();
      const stuck = async function* () {
        setImmediate(() => silent.abort(new Error("stuck")));
        await new Promise(() => undefined);
        yield Buffer.from("never");
      };
      await expect(fixture.blobs.put("originals/kept", stuck(), silent.signal)).rejects.toThrow("stuck");
      await expect(fixture.blobs.put("originals/kept", chunksOf([]), AbortSignal.abort())).rejects.toThrow(/abort/i);
      expect((await read("originals/kept"))?.bytes.toString()).toBe("old");
      expect(await fixture.listEverything()).toEqual(before);
    });

    it("keeps the last of many that are put under one key at once", async () => {
      const bodies = Array.from({ length: 8 }, () => randomBytes(300_000));
      await Promise.all(bodies.map((body) => put("originals/contested", body)));
      const left = await read("originals/contested");
      expect(bodies.some((body) => left?.bytes.equals(body))).toBe(true);
    });

    it("removes one, or all under a prefix and no others; what is not there is no error", async () => {
      for (const key of ["renditions/ds_2/1.jpg", "renditions/ds_2/2.pdf", "renditions/ds_22/1.jpg"]) {
        await put(key, Buffer.from(key));
      }
      await fixture.blobs.remove("renditions/ds_2/9.jpg");
      await fixture.blobs.removePrefix("renditions/ds_none/");
      await fixture.blobs.removePrefix("renditions/ds_2/");
      expect(await fixture.blobs.stat("renditions/ds_2/1.jpg")).toBeUndefined();
      expect(await fixture.blobs.get("renditions/ds_2/2.pdf")).toBeUndefined();
      expect(await fixture.blobs.asFile("renditions/ds_2/2.pdf")).toBeUndefined();
      expect(await fixture.blobs.stat("renditions/ds_22/1.jpg")).toBeDefined();
      await fixture.blobs.removePrefix("renditions/ds_2");
      expect(await fixture.blobs.stat("renditions/ds_22/1.jpg")).toBeUndefined();
      const left = await fixture.listEverything();
      expect(left.filter((key) => key.includes("ds_2"))).toEqual([]);
    });

    it("puts while others remove in the same place", async () => {
      const keys = Array.from({ length: 60 }, (_, index) => `renditions/busy/${index % 4}/${index}.jpg`);
      await Promise.all(
        keys.map(async (key, index) => {
          await put(key, Buffer.from(key));
          if (index % 2 === 0) await fixture.blobs.remove(key);
        }),
      );
      for (const [index, key] of keys.entries()) {
        const expected = index % 2 === 0 ? undefined : { size: key.length };
        expect({ key, stat: await fixture.blobs.stat(key) }).toEqual({ key, stat: expected });
      }
    });

    it("assembles blobs into one, in the order given, and leaves them as they are", async () => {
      // Longer than what is read at once, exactly as long, empty, short.
      const parts = [randomBytes(2_500_000), randomBytes(2 ** 20), Buffer.alloc(0), randomBytes(3)];
      const keys = parts.map((_, index) => `parts/${index}`);
      for (const [index, part] of parts.entries()) await put(`parts/${index}`, part);
      const whole = Buffer.concat([...parts, ...parts]);
      const stored = await fixture.blobs.assemble("originals/whole", [...keys, ...keys]);
      expect(stored).toEqual({ size: whole.length, sha256: createHash("sha256").update(whole).digest("hex") });
      expect((await read("originals/whole"))?.bytes.equals(whole)).toBe(true);
      for (const [index, part] of parts.entries())
        expect((await read(`parts/${index}`))?.bytes.equals(part)).toBe(true);
      const aside = {
        size: 3,
        sha256: createHash("sha256")
          .update(parts[3] ?? "")
          .digest("hex"),
      };
      expect(await fixture.blobs.assemble("parts/3", ["parts/3"])).toEqual(aside);
      expect(await fixture.blobs.assemble("originals/nothing", [])).toMatchObject({ size: 0 });
    });

    it("assembles nothing when a part is not there or the signal fires, and leaves nothing behind", async () => {
      await put("parts/there", randomBytes(3_000_000));
      await put("originals/kept", Buffer.from("old"));
      const before = await fixture.listEverything();
      expect(await fixture.blobs.assemble("originals/kept", ["parts/there", "parts/gone"])).toBeUndefined();
      expect(await fixture.blobs.assemble("originals/new", ["nowhere/gone"])).toBeUndefined();
      const aborting = new AbortController();
      const assembling = fixture.blobs.assemble("originals/kept", Array(50).fill("parts/there"), aborting.signal);
      aborting.abort(new Error("nobody waits"));
      await expect(assembling).rejects.toThrow("nobody waits");
      await expect(fixture.blobs.assemble("originals/kept", ["../etc/passwd"])).rejects.toThrow(TypeError);
      expect(await fixture.listEverything()).toEqual(before);
      expect((await read("originals/kept"))?.bytes.toString()).toBe("old");
    });

    it("gives a blob as a local file", async () => {
      await put("originals/file", Buffer.from("as a file"));
      const file = await fixture.blobs.asFile("originals/file");
      if (file === undefined) throw new Error("not there");
      expect(await readFile(file.path, "utf8")).toBe("as a file");
      await file.release();
      expect(await fixture.blobs.stat("originals/file")).toBeDefined();
    });

    it.each(["", "/", "../x", "a/../b", "a//b", "/a", "a/", "A", "a\\b", "a b", ".hidden", "a/.", "a\0", "tmp/x"])(
      "refuses the key %j",
      async (key) => {
        await expect(put(key, Buffer.from("x"))).rejects.toThrow(TypeError);
        await expect(fixture.blobs.get(key)).rejects.toThrow(TypeError);
        await expect(fixture.blobs.remove(key)).rejects.toThrow(TypeError);
      },
    );

    it("answers a ping", async () => {
      await expect(fixture.blobs.ping()).resolves.toBeUndefined();
    });
  });
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
