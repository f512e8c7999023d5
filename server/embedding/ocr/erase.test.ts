import { expect, it } from "vitest";
import { withoutParts } from "./erase.ts";
import { drawnPage, write } from "./testing/drawn-page.ts";

it("erases parts of a page in the shade that is beside them, and leaves the rest", () => {
  const page = drawnPage(400, 200, (pen) => {
    write(pen, ["known"], { left: 50, top: 20, size: 30 });
    write(pen, ["other"], { left: 50, top: 120, size: 30 });
  });
  const { data } = withoutParts(page, [{ left: 0.1, top: 0.05, right: 0.6, bottom: 0.4 }]);
  const inkIn = (from: number, to: number, pixels: Uint8Array): number =>
    pixels.subarray(from * 400, to * 400).filter((grey) => grey < 128).length;
  expect(inkIn(0, 100, page.data)).toBeGreaterThan(0);
  expect(inkIn(0, 100, data)).toBe(0);
  expect(inkIn(100, 200, data)).toBe(inkIn(100, 200, page.data));
});

it("keeps within the page", () => {
  const page = { width: 2, height: 2, channels: 3, data: new Uint8Array(12).fill(7) } as const;
  const parts = [
    { left: -1, top: -1, right: 2, bottom: 2 },
    { left: 3, top: 3, right: 4, bottom: 4 },
  ];
  expect(withoutParts(page, parts).data).toEqual(page.data);
});
