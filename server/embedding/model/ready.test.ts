import { describe, expect, it } from "vitest";
import { readManifest } from "../manifest.ts";
import { resolvePackDir } from "../packs.ts";
import { readyPacks } from "../catalog.ts";
import { filesOf } from "./settings.ts";

const packs = await readyPacks();

describe("packs that are ready to be pulled", () => {
  it("are there for models of each family", () => {
    expect(packs.map(({ name }) => name)).toEqual([
      "all-minilm-l6-v2",
      "clip-vit-base-patch32",
      "colmodernvbert",
      "jina-clip-v2",
      "mobileclip-s0",
      "nomic-embed-text-v1-5",
      "siglip2-base",
    ]);
  });

  it.each(packs)("$name has the name of its file, uses all of its files, and answers questions in words", (pack) => {
    const { manifest } = pack;
    expect(manifest.id).toBe(pack.name);
    const models = manifest.spaces.flatMap((space) => (space.kind === "model" ? [space] : []));
    expect(models.flatMap(filesOf)).toEqual(expect.arrayContaining(manifest.files.map(({ path }) => path)));
    expect(models.some(({ query }) => query.text !== undefined)).toBe(true);
  });

  it("see pages' pictures as the built-in pack does, where their own models do not", async () => {
    const builtin = await readManifest(resolvePackDir("builtin"));
    const picture = builtin.spaces.find(({ kind }) => kind === "picture");
    const fusion = builtin.fusion.find(({ spaces }) => picture !== undefined && picture.name in spaces);
    for (const { manifest } of packs) {
      if (!manifest.spaces.some(({ kind }) => kind === "picture")) continue;
      expect(manifest.spaces).toContainEqual(picture);
      expect(manifest.fusion).toContainEqual(fusion);
    }
  });

  it.each(packs.filter(({ files }) => files.some(({ sha256 }) => sha256 === undefined)))(
    "$name, whose files are not pinned, says that it has not been tried with them",
    ({ manifest }) => {
      expect(manifest.description).toMatch(/have not been tried with the real files/);
    },
  );
});
