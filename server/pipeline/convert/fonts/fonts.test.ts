import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { layOutFonts } from "./font-config.ts";

let folder: string;
let config: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-fonts-test-"));
  config = await layOutFonts(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("fonts as wide as Microsoft's come out of the package whole, and fonts for Japanese, Korean and Chinese", async () => {
  const names = await readdir(join(folder, "fonts"));
  for (const family of ["Carlito", "Caladea", "LiberationSans", "LiberationSerif", "LiberationMono"]) {
    expect(names.filter((name) => name.startsWith(`${family}-`))).toHaveLength(4);
  }
  expect(names).toEqual(
    expect.arrayContaining(["NotoSansJP-Regular.otf", "NotoSansKR-Bold.otf", "NotoSansHans-Regular.otf"]),
  );
  for (const name of names) {
    // The signatures of TrueType and of OpenType with CFF outlines (OpenType 1.9, "Organization of an OpenType font").
    expect(["00010000", "4f54544f"]).toContain((await readFile(join(folder, "fonts", name))).toString("hex", 0, 4));
  }
});

const hasFontconfig = spawnSync("fc-match", ["--version"]).error === undefined;

test.skipIf(!hasFontconfig)(`fontconfig takes them${hasFontconfig ? "" : " (skipped: fc-match not installed)"}`, () => {
  const match = (pattern: string): string =>
    spawnSync("fc-match", ["-f", "%{family}", pattern], { env: { FONTCONFIG_FILE: config }, encoding: "utf8" }).stdout;
  expect(match("Carlito")).toBe("Carlito");
  expect(match(":lang=ko:charset=AC01")).not.toBe(match(":lang=en"));
});
