import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenSpace } from "../pack.ts";
import { resample } from "./resample.ts";
import { openModelSpace } from "./space.ts";
import { openPackFiles } from "./tower.ts";
import { type CaseName, caseNames, pictures, spaceOf, texts, writePack } from "./testing/packs.ts";
import reference from "./testing/reference.json" with { type: "json" };

interface Expected {
  readonly words?: readonly (readonly number[][])[];
  readonly queries?: readonly (readonly number[][])[];
  readonly pictures?: readonly (readonly number[][])[];
  readonly pooled?: readonly (readonly number[][])[];
}

const expectedOf = (name: CaseName): Expected => reference.cases[name];

let folder: string;
const spaces = new Map<CaseName, OpenSpace>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-models-"));
  for (const name of caseNames) {
    const packDir = await mkdtemp(join(folder, "pack-"));
    await writePack(packDir, name);
    spaces.set(name, openModelSpace(openPackFiles(packDir), spaceOf(name)));
  }
});
afterAll(async () => {
  await Promise.all([...spaces.values()].map((space) => space.close()));
  await rm(folder, { recursive: true });
});

function spaceNamed(name: CaseName): OpenSpace {
  const space = spaces.get(name);
  if (space === undefined) throw new Error(`there is no space for ${name}`);
  return space;
}

/** Half-precision graphs have three significant digits. */
const toleranceOf = (name: CaseName): number => (name === "mobileclip-like" ? 3e-3 : 1e-4);

/** The largest difference of two numbers at the same index; infinite if their counts differ. */
function distance(found: readonly Float32Array[], expected: readonly (readonly number[])[] = []): number {
  if (found.length === 0 || found.length !== expected.length) return Infinity;
  const differences = found.flatMap((vector, row) => {
    const other = expected[row] ?? [];
    if (other.length !== vector.length) return [Infinity];
    return Array.from(vector, (value, at) => Math.abs(value - (other[at] ?? Infinity)));
  });
  return Math.max(...differences);
}

const withPart = (part: keyof Expected): CaseName[] => caseNames.filter((name) => expectedOf(name)[part] !== undefined);

describe("numbers computed without drs", () => {
  it.each(withPart("words"))("are those of %s for pages' words", async (name) => {
    for (const [index, words] of texts.entries()) {
      const [found] = await spaceNamed(name).page({ words, picture: undefined });
      const vectors = found?.kind === "dense" ? found.vectors : [];
      expect(distance(vectors, expectedOf(name).words?.[index])).toBeLessThan(toleranceOf(name));
    }
  });

  it.each(withPart("queries"))("are those of %s for queries in words", async (name) => {
    for (const [index, text] of texts.entries()) {
      const [found] = await spaceNamed(name).query({ text });
      const vectors = found?.kind === "dense" ? found.vectors : [];
      expect(distance(vectors, expectedOf(name).queries?.[index])).toBeLessThan(toleranceOf(name));
    }
  });

  it.each(withPart("pictures"))("are those of %s for pages' pictures", async (name) => {
    for (const [index, picture] of pictures.entries()) {
      const [found] = await spaceNamed(name).page({ words: "", picture });
      const vectors = found?.kind === "dense" ? found.vectors : [];
      expect(distance(vectors, expectedOf(name).pictures?.[index])).toBeLessThan(toleranceOf(name));
    }
  });

  it.each(withPart("pooled"))("are those of %s for the few vectors that stand for many", async (name) => {
    for (const [index, picture] of pictures.entries()) {
      const [found] = await spaceNamed(name).page({ words: "", picture });
      const pooled = found?.kind === "dense" ? found.pooled : undefined;
      expect(distance(pooled ?? [], expectedOf(name).pooled?.[index])).toBeLessThan(toleranceOf(name));
    }
  });

  it.each(reference.resamples)("are those of Pillow, $resampling to $width × $height", (resized) => {
    const { width, height, data } = resized;
    const [picture] = pictures;
    if (picture === undefined) throw new Error("there is no picture");
    const found = resample(picture, { width, height }, resized.resampling as "bicubic");
    const strided = [...found.data].filter((_, at) => {
      const pixel = Math.floor(at / 3);
      return Math.floor(pixel / width) % 7 === 0 && (pixel % width) % 5 === 0;
    });
    expect(strided).toEqual(data);
  });
});

describe("a query", () => {
  const png = async (index: number): Promise<Uint8Array> => {
    const { width = 0, height = 0, data = new Uint8Array(0) } = pictures[index] ?? {};
    return sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
  };

  it("may be a picture, which comes close to the same page", async () => {
    const space = spaceNamed("siglip-like");
    const [query] = await space.query({ image: await png(0) });
    const vectors = query?.kind === "dense" ? query.vectors : [];
    expect(vectors).toHaveLength(1);
    const expected = expectedOf("siglip-like").pictures?.[0]?.[0] ?? [];
    // The picture is enlarged first, so the numbers differ a little.
    expect(vectors[0]?.reduce((sum, value, at) => sum + value * (expected[at] ?? 0), 0)).toBeGreaterThan(0.98);
  });

  it("of words and a picture is halfway between them", async () => {
    const space = spaceNamed("siglip-like");
    const image = await png(1);
    const parts = await Promise.all(
      [{ text: "ports" }, { image }, { text: "ports", image }].map((query) => space.query(query)),
    );
    const [words, picture, both] = parts.map(([found]) => (found?.kind === "dense" ? found.vectors[0] : undefined));
    const sum = words?.map((value, at) => value + (picture?.[at] ?? 0)) ?? new Float32Array(0);
    const norm = Math.hypot(...sum);
    expect(distance(both === undefined ? [] : [both], [[...sum].map((value) => value / norm)])).toBeLessThan(1e-5);
  });

  it("has no answer in a space that does not take its kind, and none of nothing", async () => {
    expect(await spaceNamed("plain-mean").query({ image: await png(0) })).toEqual([]);
    expect(await spaceNamed("padded-bgr").query({ text: "ports" })).toEqual([]);
    expect(await spaceNamed("clip-like").query({ text: " \n" })).toEqual([]);
  });

  it("that is a blank picture is refused, unless there are words", async () => {
    const blank = await sharp({ create: { width: 30, height: 30, channels: 3, background: "#fff" } })
      .png()
      .toBuffer();
    const space = spaceNamed("clip-like");
    await expect(space.query({ image: blank })).rejects.toMatchObject({ kind: "invalid" });
    expect(await space.query({ image: blank, text: "ports" })).toEqual(await space.query({ text: "ports" }));
  });
});

describe("a page", () => {
  it("of words and a picture has the vectors of both, the picture's first", async () => {
    const [picture] = pictures;
    const [found] = await spaceNamed("jina-clip-like").page({ words: texts[0] ?? "", picture });
    const { pictures: seen, words } = expectedOf("jina-clip-like");
    expect(
      distance(found?.kind === "dense" ? found.vectors : [], [...(seen?.[0] ?? []), ...(words?.[0] ?? [])]),
    ).toBeLessThan(1e-4);
  });

  it("that is blank has none", async () => {
    const picture = { width: 30, height: 40, channels: 1, data: new Uint8Array(1200).fill(255) } as const;
    expect(await spaceNamed("clip-like").page({ words: "", picture })).toEqual([]);
    expect(await spaceNamed("plain-mean").page({ words: " \n ", picture: undefined })).toEqual([]);
  });

  it("in grey is seen as one in colours", async () => {
    const grey = {
      width: 40,
      height: 30,
      channels: 1,
      data: Uint8Array.from({ length: 1200 }, (_, at) => (at * 7) % 256),
    } as const;
    const data = Uint8Array.from({ length: 3600 }, (_, at) => grey.data[Math.floor(at / 3)] ?? 0);
    const space = spaceNamed("clip-like");
    expect(await space.page({ words: "", picture: grey })).toEqual(
      await space.page({ words: "", picture: { ...grey, channels: 3, data } }),
    );
  });
});
