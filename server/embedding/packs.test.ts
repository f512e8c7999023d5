import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedPacks, resolvePackDir } from "./packs.ts";

let modelsDir: string;

beforeAll(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), "drs-packs-"));
  const names = ["b@1.9.0", "b@1.10.0", "b@1.2.30", "a-long-one@0.1.0", ".pull-b", "b", "b@2", "C@1.0.0"];
  for (const name of names) await mkdir(join(modelsDir, name));
});
afterAll(() => rm(modelsDir, { recursive: true }));

describe("installed packs", () => {
  it("are the folders named id@version, by id and version", () => {
    expect(installedPacks(modelsDir)).toEqual(["a-long-one@0.1.0", "b@1.2.30", "b@1.9.0", "b@1.10.0"]);
    expect(installedPacks(join(modelsDir, "nowhere"))).toEqual([]);
  });

  it("are found by version, or by name alone, which means the highest", () => {
    expect(resolvePackDir("b@1.9.0", modelsDir)).toBe(join(modelsDir, "b@1.9.0"));
    expect(resolvePackDir("b", modelsDir)).toBe(join(modelsDir, "b@1.10.0"));
  });

  it("are not what a path leads to", () => {
    for (const model of ["../b", "./b@1.9.0", "/somewhere/b", "b@3.0.0", "c"]) {
      expect(resolvePackDir(model, modelsDir)).toBe(resolve(model));
    }
  });
});
