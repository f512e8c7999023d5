import { beforeAll, describe, expect, it } from "vitest";
import type { Raster } from "../raster.ts";
import { signatureDimensions } from "./aggregate.ts";
import { cropPicture, drawPage, photograph } from "./testing/draw-page.ts";
import { pageSignature, querySignatures } from "./signature.ts";

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const queried = [3, 14, 27, 41, 58];
let index: { seed: number; signature: Float32Array }[];

beforeAll(() => {
  index = seeds.flatMap((seed) => {
    const signature = pageSignature(drawPage(seed));
    return signature === undefined ? [] : [{ seed, signature }];
  });
});

/** The page that is most similar to the picture, and its lead over the next one. */
function find(picture: Raster): { seed: number | undefined; lead: number } {
  const queries = querySignatures(picture);
  const best = new Map<number, number>();
  for (const { seed, signature } of index) {
    for (const query of queries) {
      const score = signature.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
      best.set(seed, Math.max(best.get(seed) ?? -1, score));
    }
  }
  const [first, second] = [...best].toSorted((a, b) => b[1] - a[1]);
  return { seed: first?.[0], lead: (first?.[1] ?? 0) - (second?.[1] ?? 0) };
}

/** Noise similar to that of coarse compression: 8 × 8 blocks and single pixels change. */
function noisy(picture: Raster, levels: number): Raster {
  const data = picture.data.map((value, at) => {
    const x = at % picture.width;
    const y = Math.floor(at / picture.width);
    const block = ((x >> 3) * 37 + (y >> 3) * 101) % 7;
    return Math.max(0, Math.min(255, value + ((block - 3) / 3) * levels + (((x * 13 + y * 7) % 5) - 2) * (levels / 4)));
  });
  return { ...picture, data };
}

describe("a page's picture finds its page", () => {
  it.each<[string, (seed: number) => Raster]>([
    ["as it is", (seed) => drawPage(seed)],
    ["drawn larger", (seed) => drawPage(seed, 700)],
    ["drawn smaller", (seed) => drawPage(seed, 360)],
    ["without its margins", (seed) => cropPicture(drawPage(seed), 0.06, 0.06, 0.94, 0.94)],
    ["cut to 70 % at the lower right", (seed) => cropPicture(drawPage(seed, 600), 0.163, 0.163, 1, 1)],
    ["cut to 80 % of each side in the middle", (seed) => cropPicture(drawPage(seed, 620), 0.1, 0.1, 0.9, 0.9)],
    ["in a photo, on a table, turned and in perspective", (seed) => photograph(drawPage(seed, 700), 0.05)],
    ["cut to its upper 70 %", (seed) => cropPicture(drawPage(seed, 500), 0, 0, 1, 0.7)],
    ["coarsely compressed", (seed) => noisy(drawPage(seed, 520), 18)],
  ])("%s", (_, change) => {
    for (const seed of queried) {
      const found = find(change(seed));
      expect(found.seed).toBe(seed);
      expect(found.lead).toBeGreaterThan(0.02);
    }
  });

  it("in colour", () => {
    const grey = drawPage(14);
    const data = Uint8Array.from({ length: grey.data.length * 3 }, (_, at) => grey.data[Math.floor(at / 3)] ?? 0);
    expect(find({ ...grey, channels: 3, data }).seed).toBe(14);
  });

  it("with rules and a frame that are drawn blacker", () => {
    const page = drawPage(27);
    const data = page.data.slice();
    for (let x = 20; x < page.width - 20; x += 1) for (const y of [40, 200, 410]) data[y * page.width + x] = 0;
    for (let y = 30; y < page.height - 30; y += 1) data[y * page.width + 150] = 0;
    expect(find({ ...page, data }).seed).toBe(27);
  });
});

describe("signatures", () => {
  it("are unit vectors and always the same", () => {
    const first = pageSignature(drawPage(5));
    const again = pageSignature(drawPage(5));
    expect(first).toHaveLength(signatureDimensions);
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 5);
    expect(again).toEqual(first);
  });

  it("are those of arrangement-2, which existing indices contain", () => {
    const some = [0, 1, 2, 3, 319, 320, 321, 639].map((at) => pageSignature(drawPage(5))?.[at]);
    const known = [-0.028262, -0.018339, -0.013089, 0.043219, -0.047434, -0.025628, -0.052169, 0.025426];
    for (const [index, value] of known.entries()) expect(some[index]).toBeCloseTo(value, 3);
  });

  it.each<[string, Raster]>([
    ["white", { width: 300, height: 400, channels: 1, data: new Uint8Array(120_000).fill(255) }],
    ["black", { width: 300, height: 400, channels: 1, data: new Uint8Array(120_000) }],
    ["one pixel", { width: 1, height: 1, channels: 1, data: new Uint8Array(1) }],
    ["longer than anything", { width: 20_000, height: 1, channels: 1, data: new Uint8Array(20_000).fill(255) }],
    ["all length", { width: 4000, height: 1, channels: 1, data: new Uint8Array(4000).fill(128) }],
  ])("of a picture that is %s are none", (_, picture) => {
    expect(pageSignature(picture)).toBeUndefined();
    expect(querySignatures(picture)).toEqual([]);
  });

  it("hold no value that is not a number, of noise either", () => {
    const data = Uint8Array.from({ length: 90_000 }, (_, at) => (at * 7919) % 251);
    const picture = { width: 300, height: 300, channels: 1, data } as const;
    const signatures = [pageSignature(picture), ...querySignatures(picture)];
    expect(signatures.length).toBeGreaterThan(1);
    for (const signature of signatures) expect(signature?.every(Number.isFinite)).toBe(true);
  });
});
