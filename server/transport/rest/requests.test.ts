import { array, assert, asyncProperty, integer } from "fast-check";
import { expect, test } from "vitest";
import { gather } from "./requests.ts";

const headBytes = 4 * 1024;
const pieceBytes = 256 * 1024;

/** Chunks with their own memory, as they come from a socket. */
async function* streamed(body: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, index = 0; start < body.length; index++) {
    const size = sizes[index % sizes.length] ?? body.length;
    yield Uint8Array.from(body.subarray(start, start + size));
    start += size;
  }
}

const numbered = (bytes: number): Buffer => Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => at % 251));

test("nothing is lost, whatever the chunks", async () => {
  await assert(
    asyncProperty(
      integer({ min: 0, max: 4 * pieceBytes }),
      array(integer({ min: 1, max: 2 * pieceBytes }), { minLength: 1, maxLength: 4 }),
      async (bytes, sizes) => {
        const body = numbered(bytes);
        const seen: Buffer[] = [];
        for await (const piece of gather(streamed(body, sizes))) seen.push(Buffer.from(piece));
        expect(Buffer.concat(seen).equals(body)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test("the first bytes come at once, all others in pieces of one size", async () => {
  const sizes: number[] = [];
  for await (const { length } of gather(streamed(numbered(3 * pieceBytes), [1_000, 5_000, 10_000]))) sizes.push(length);
  expect(sizes).toEqual([1_000, headBytes - 1_000, pieceBytes, pieceBytes, pieceBytes - headBytes]);
});

test("the first bytes of a body are passed on even if the body then stalls", async () => {
  async function* stopping(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("a");
    await new Promise(() => undefined);
  }
  const { value } = await gather(stopping()).next();
  expect(value).toEqual(Buffer.from("a"));
});

test("memory is reused, by the next body only after this one has been read", async () => {
  const body = numbered(3 * pieceBytes);
  const memoryOf = async (pieces: AsyncGenerator<Uint8Array>): Promise<ArrayBufferLike | undefined> => {
    await pieces.next();
    return (await pieces.next()).value?.buffer;
  };
  const first = gather(streamed(body, [65_536]));
  const second = gather(streamed(body, [65_536]));
  const memory = await memoryOf(first);
  expect((await first.next()).value?.buffer).toBe(memory);
  expect(await memoryOf(second)).not.toBe(memory);
  await first.return(undefined);
  expect(await memoryOf(gather(streamed(body, [65_536])))).toBe(memory);
});

test("the memory of chunks is freed only if it belongs to the chunk alone", async () => {
  const head = Buffer.from(new ArrayBuffer(headBytes)).fill("h");
  const alone = Buffer.from(new ArrayBuffer(3)).fill("a");
  const shared = Buffer.from(new ArrayBuffer(8)).fill("b");
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield head;
    yield alone;
    yield shared.subarray(0, 4);
  }
  const [first, rest] = await Array.fromAsync(gather(chunks()));
  expect(String(first)).toBe("h".repeat(headBytes));
  expect(String(rest)).toBe("aaabbbb");
  expect([head, alone, shared].map(({ buffer }) => buffer.detached)).toEqual([true, true, false]);
  expect(String(shared)).toBe("bbbbbbbb");
});
