import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const documents = globSync(["*.md", "{bench,cli,clients,deploy,docs,examples,models,proto,server,test}/**/*.md"], {
  cwd: repository,
  exclude: ["**/node_modules/**"],
});

/** The targets of a document's links within the repository, without their anchors. */
function targetsIn(text: string): string[] {
  const targets = Array.from(text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g), ([, target]) => target ?? "");
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

test.each(documents)("every link of %s leads to a file", (document) => {
  const targets = targetsIn(readFileSync(join(repository, document), "utf8"));
  expect(targets.filter((target) => !existsSync(join(repository, dirname(document), target)))).toEqual([]);
});

test("the index names every document", () => {
  const cwd = join(repository, "docs");
  const named = new Set(targetsIn(readFileSync(join(cwd, "index.md"), "utf8")));
  const others = globSync("**/*.md", { cwd, exclude: ["decisions/[0-9]*", "index.md"] });
  expect(others.filter((path) => !named.has(path))).toEqual([]);
});

const folders = /^(?:bench|cli|clients|console|docs|models|proto|server|test|tools|\.ci|\.github)\//;

/** Files and folders that a document names from the root of the repository. Capitals stand for what is to be filled in. */
function pathsIn(text: string): string[] {
  const named = Array.from(text.matchAll(/`([\w./-]+)`/g), ([, path]) => path ?? "");
  return named.filter((path) => folders.test(path) && !path.includes("NNNN"));
}

test.each(documents.filter((document) => document !== "CHANGELOG.md"))("every path in %s exists", (document) => {
  const paths = pathsIn(readFileSync(join(repository, document), "utf8"));
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

const shown = globSync(["*.md", "{docs,clients,examples}/**/*.md", "{cli,console,tools/openapi}/**/*.ts"], {
  cwd: repository,
  exclude: ["**/node_modules/**", "docs/decisions/**", "CONTRIBUTING.md", "cli/terminal/own-command*.ts"],
});

test("nobody is sent to the registry for a package that only has the name of drs", () => {
  // Outside of the clone npx takes what it does not find from there.
  const told = shown.flatMap((path) =>
    readFileSync(join(repository, path), "utf8")
      .split("\n")
      .filter((line) => line.includes("npx drs") && !line.includes("inside the clone"))
      .map((line) => `${path}: ${line}`),
  );
  expect(told).toEqual([]);
});
