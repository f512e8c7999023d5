import { describe, expect, test } from "vitest";
import type { ByteRange } from "../ports/blobs.ts";
import { blobSource, readHead } from "./source.ts";

const content = Buffer.from("0123456789");

describe("blobSource", () => {
  async function* pieces(range: ByteRange): AsyncGenerator<Uint8Array> {
    for (let at = range.start; at <= range.end; at++) yield content.subarray(at, at + 1);
  }
  const blobs = {
    get: async (key: string, range?: ByteRange) =>
      key === "here" && range !== undefined ? { size: content.length, body: pieces(range) } : undefined,
  };

  test("reads from start to end, the end not included, and not beyond the blob's end", async () => {
    const source = blobSource(blobs, "here", content.length);
    const text = async (start: number, end: number): Promise<string> =>
      Buffer.from(await source.read(start, end)).toString();
    expect(await text(0, 4)).toBe("0123");
    expect(await text(8, 100)).toBe("89");
    expect(await text(10, 20)).toBe("");
    expect(await text(3, 3)).toBe("");
  });

  test("throws when the blob is gone", async () => {
    await expect(blobSource(blobs, "gone", 5).read(0, 1)).rejects.toMatchObject({ kind: "unavailable" });
  });
});

/** Pieces that share one buffer, as those of a form do. */
async function* reused(...texts: string[]): AsyncGenerator<Uint8Array, undefined> {
  const memory = Buffer.alloc(2048);
  for (const text of texts) yield memory.subarray(0, memory.write(text));
  memory.fill("x");
  return undefined;
}

test("is intact although each piece reuses the memory of the previous one", async () => {
  expect(String(await readHead(reused("%PDF", "-1.", "7")))).toBe("%PDF-1.7");
});

test("ends with the piece that makes it long enough", async () => {
  const pieces = reused("a".repeat(1000), "b".repeat(1000), "c");
  expect(String(await readHead(pieces))).toBe("a".repeat(1000) + "b".repeat(1000));
  expect(String((await pieces.next()).value)).toBe("c");
});
