import { expect, test } from "vitest";
import { readHead } from "./read-head.ts";

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
