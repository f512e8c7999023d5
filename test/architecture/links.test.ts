import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const documents = globSync(["*.md", "{bench,cli,clients,docs,models,proto,server,test}/**/*.md"], {
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
