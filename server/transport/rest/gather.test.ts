import { array, assert, asyncProperty, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { gather } from "./gather.ts";

async function* streamed(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const sizes = async (chunks: Iterable<Uint8Array>): Promise<number[]> =>
  (await Array.fromAsync(gather(streamed(chunks)))).map(({ length }) => length);

test("nothing is lost, whatever the chunks", async () => {
  await assert(
    asyncProperty(array(uint8Array({ maxLength: 300 }), { maxLength: 200 }), async (chunks) => {
      const expected = Buffer.concat(chunks);
      // Each in memory of its own, as they come from a socket.
      const pieces = await Array.fromAsync(gather(streamed(chunks.map((chunk) => Uint8Array.from(chunk)))));
      expect(Buffer.concat(pieces)).toEqual(expected);
    }),
  );
});

test("the first chunk comes at once, the pieces after it grow", async () => {
  const chunks = Array.from({ length: 40 }, () => Buffer.allocUnsafeSlow(65_536));
  expect(await sizes(chunks)).toEqual([1, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4].map((count) => count * 65_536));
});

test("a body that drips does not pile up chunks", async () => {
  const first = Buffer.allocUnsafeSlow(2 ** 20);
  const drops = Array.from({ length: 640 }, () => Buffer.allocUnsafeSlow(1));
  expect(await sizes([first, ...drops])).toEqual([2 ** 20, ...Array.from({ length: 10 }, () => 64)]);
});

test("memory is given back of chunks that have it to themselves, and only of those", async () => {
  const alone = Buffer.from(new ArrayBuffer(3)).fill("a");
  const shared = Buffer.from(new ArrayBuffer(8)).fill("b");
  const pieces = await Array.fromAsync(
    gather(streamed([Buffer.from(new ArrayBuffer(9)).fill("c"), alone, shared.subarray(0, 4)])),
  );
  expect(String(Buffer.concat(pieces))).toBe("cccccccccaaabbbb");
  expect(alone.buffer.detached).toBe(true);
  expect(String(shared)).toBe("bbbbbbbb");
});
