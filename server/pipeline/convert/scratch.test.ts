import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isWholePdf } from "./pdf-file.ts";
import { openScratch } from "./scratch.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "drs-scratch-test-"));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test("leftovers of dead processes are removed, those of living ones stay", async () => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const names = [`drs-convert-${dead}-a`, `drs-convert-${process.pid}-earlier-life`];
  const kept = [`drs-convert-${process.ppid}-b`, "something-else"];
  for (const name of [...names, ...kept]) await mkdir(join(parent, name, "deep"), { recursive: true });
  const first = await openScratch(parent);
  expect(names.map((name) => existsSync(join(parent, name)))).toEqual([false, false]);
  expect(kept.map((name) => existsSync(join(parent, name)))).toEqual([true, true]);
  const second = await openScratch(parent);
  expect(existsSync(first.path)).toBe(true);
  await writeFile(join(await first.folder(), "file"), "content");
  await Promise.all([first.close(), second.close()]);
  expect([first.path, second.path].map((path) => existsSync(path))).toEqual([false, false]);
});

test("a PDF that was cut off is not whole", async () => {
  const path = join(parent, "file.pdf");
  const write = async (text: string): Promise<boolean> => {
    await writeFile(path, text);
    return isWholePdf(path);
  };
  expect(await write("%PDF-1.7\n...\n%%EOF\n")).toBe(true);
  expect(await write("%PDF-1.7\n...")).toBe(false);
  expect(await write("<html>%%EOF")).toBe(false);
  expect(await write("")).toBe(false);
  expect(await isWholePdf(join(parent, "none.pdf"))).toBe(false);
});
