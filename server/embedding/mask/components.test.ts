import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { type Component, componentsOf, type Mask } from "./components.ts";

/** A mask of rows of `#` and `.`. */
function drawn(...rows: readonly string[]): Mask {
  const width = rows[0]?.length ?? 0;
  return { width, height: rows.length, data: Uint8Array.from(rows.join(""), (sign) => (sign === "#" ? 1 : 0)) };
}

/** The same pixel by pixel: each piece grows from its first pixel until no neighbour is left. */
function expected({ width, data }: Mask): Component[] {
  const left = new Set([...data.keys()].filter((at) => data[at] === 1));
  const found: Component[] = [];
  for (const start of left) {
    const members = [start];
    left.delete(start);
    for (const at of members) {
      for (const near of left) {
        const across = Math.abs((near % width) - (at % width));
        const down = Math.abs(Math.floor(near / width) - Math.floor(at / width));
        if (across <= 1 && down <= 1 && left.delete(near)) members.push(near);
      }
    }
    const columns = members.map((at) => at % width);
    const rows = members.map((at) => Math.floor(at / width));
    const [minX, maxX] = [Math.min(...columns), Math.max(...columns)];
    const [minY, maxY] = [Math.min(...rows), Math.max(...rows)];
    const onFrame = members.filter((at) => {
      const [x, y] = [at % width, Math.floor(at / width)];
      return x <= minX + 1 || x >= maxX - 1 || y <= minY + 1 || y >= maxY - 1;
    });
    found.push({
      left: minX,
      top: minY,
      width: maxX - minX + 1,
      height: maxY - minY + 1,
      size: members.length,
      onFrame: onFrame.length,
    });
  }
  return found;
}

describe("the pieces of a mask", () => {
  it("hang together by corners too, and come in the order of their first pixels", () => {
    const mask = drawn("..#...##", ".#......", "#....#..", ".....#.#");
    expect(componentsOf(mask)).toEqual([
      { left: 0, top: 0, width: 3, height: 3, size: 3, onFrame: 3 },
      { left: 6, top: 0, width: 2, height: 1, size: 2, onFrame: 2 },
      { left: 5, top: 2, width: 1, height: 2, size: 2, onFrame: 2 },
      { left: 7, top: 3, width: 1, height: 1, size: 1, onFrame: 1 },
    ]);
  });

  it("are one where arms meet at last", () => {
    expect(componentsOf(drawn("#.#.#.#", "#.#.#.#", "#######"))).toMatchObject([{ size: 15, width: 7, height: 3 }]);
  });

  it("have two rows and columns of an outline on their frame", () => {
    const [box] = componentsOf(drawn("########", "#......#", "#..##..#", "#......#", "#......#", "########"));
    expect(box).toMatchObject({ width: 8, height: 6, size: 24, onFrame: 24 });
  });

  it("are not looked for in a mask of more runs than the caller allows", () => {
    const mask = drawn("#.#.", "....", "..#.");
    expect(componentsOf(mask, 3)).toHaveLength(3);
    expect(componentsOf(mask, 2)).toEqual([]);
  });

  it("are what growing pixel by pixel finds, in any mask", () => {
    const side = { min: 1, max: 12 };
    const masks = record({ width: integer(side), height: integer(side) }).chain(({ width, height }) =>
      array(constantFrom(0, 1), { minLength: width * height, maxLength: width * height }).map((pixels): Mask => ({
        width,
        height,
        data: Uint8Array.from(pixels),
      })),
    );
    assert(
      property(masks, (mask) => {
        expect(componentsOf(mask)).toEqual(expected(mask));
      }),
      { numRuns: 300 },
    );
  });
});
