import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownCommand, shellWord } from "./own-command.ts";

const bin = fileURLToPath(new URL("../bin/drs.js", import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-own-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("is drs where the shell finds it, npx drs in a project, and node with the path elsewhere", async () => {
  const project = join(folder, "project");
  await mkdir(join(project, "node_modules/.bin"), { recursive: true });
  await mkdir(join(project, "deep"));
  await symlink(bin, join(project, "node_modules/.bin/drs"));
  await mkdir(join(folder, "bin"));
  const ofNpm = join(project, "node_modules/.bin");
  expect(ownCommand({ PATH: ofNpm }, join(project, "deep"))).toBe("npx drs");
  const elsewhere = ownCommand({ PATH: `${ofNpm}:/usr/bin` }, folder);
  expect(execFileSync("sh", ["-c", `${elsewhere} --version`], { encoding: "utf8" })).toMatch(/^\d/);
  await symlink(bin, join(folder, "bin/drs"));
  expect(ownCommand({ PATH: `/usr/bin:${join(folder, "bin")}` }, folder)).toBe("drs");
});

test("another program called drs on the PATH is not this one", async () => {
  await symlink("/bin/true", join(folder, "drs"));
  expect(ownCommand({ PATH: folder }, folder)).not.toBe("drs");
});

test.each(["a b", "it's", "$HOME", "", "/plain/path"])("a shell takes %j for one word", (word) => {
  expect(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(word);
});
