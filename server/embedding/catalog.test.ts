import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolvePackDir } from "./packs.ts";
import { completeManifest, catalogPack } from "./catalog.ts";

test("an unknown name, or a path, finds nothing", async () => {
  for (const name of ["no-such-pack", "../builtin/pack", ""]) expect(await catalogPack(name)).toBeUndefined();
});

test("unknown facts of a file are taken from the downloaded file", async () => {
  const { files, ...pack } = JSON.parse(await readFile(join(resolvePackDir("builtin"), "pack.json"), "utf8"));
  const [first, ...others] = files;
  const ready = {
    pack,
    files: [{ path: first.path, from: "onnx/model.onnx" }, ...others.map((file: object) => ({ ...file, from: "x" }))],
  };
  const found = { path: first.path, bytes: 17, sha256: "ab".repeat(32) };
  expect(completeManifest(ready, [found]).files).toEqual([found, ...others]);
  expect(() => completeManifest({ ...ready, pack: { ...pack, spaces: [] } }, [found])).toThrow(/spaces/);
});
