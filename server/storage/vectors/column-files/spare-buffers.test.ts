import { expect, test } from "vitest";
import { createSpareBuffers } from "./spare-buffers.ts";

test("a buffer is given again for as many bytes, once", () => {
  const spares = createSpareBuffers(100);
  const [one, other] = [spares.take(10), spares.take(20)];
  expect([one.byteLength, other.byteLength]).toEqual([10, 20]);
  spares.give(one);
  expect(spares.take(20)).not.toBe(other);
  expect(spares.take(10)).toBe(one);
  expect(spares.take(10)).not.toBe(one);
});

test("no more are kept than there is room for", () => {
  const spares = createSpareBuffers(25);
  const buffers = Array.from({ length: 4 }, () => spares.take(10));
  for (const buffer of buffers) spares.give(buffer);
  const again = Array.from({ length: 4 }, () => spares.take(10));
  expect(again.filter((buffer) => buffers.includes(buffer))).toHaveLength(2);
  for (const buffer of again) spares.give(buffer);
  expect(again).toContain(spares.take(10));
});
