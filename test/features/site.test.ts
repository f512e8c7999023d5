import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
let site = "";

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), "drs-site-"));
  const vitepress = join(root, "node_modules/.bin/vitepress");
  await promisify(execFile)(vitepress, ["build", "docs", "--outDir", site], { cwd: root });
}, 300_000);
afterAll(() => rm(site, { recursive: true, force: true }));

test("every document is a page of the site", () => {
  const documents = globSync("**/*.md", { cwd: join(root, "docs") }).map((path) => path.replace(/\.md$/, ".html"));
  const pages = globSync("**/*.html", { cwd: site }).filter((path) => path !== "404.html");
  expect(pages.toSorted()).toEqual(documents.toSorted());
});

test("a page loads nothing from elsewhere", async () => {
  for (const page of globSync("**/*.html", { cwd: site })) {
    const text = await readFile(join(site, page), "utf8");
    const loaded = Array.from(text.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g), ([, url]) => url);
    expect(loaded.filter((url) => url?.includes("//") === true)).toEqual([]);
  }
  for (const style of globSync("**/*.css", { cwd: site }))
    expect(await readFile(join(site, style), "utf8")).not.toMatch(/url\(["']?(?:https?:)?\/\//);
});

test("the site brings its search index", () => {
  expect(globSync("assets/**/*localSearchIndex*", { cwd: site })).not.toEqual([]);
});
