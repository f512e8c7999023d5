import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const tools = process.env["DRS_TEST_DEPLOY"];
const reason = tools === undefined ? " (skipped: DRS_TEST_DEPLOY names no folder made by .ci/deploy-tools)" : "";

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".yml"))
    .map((name) => join(root, folder, name));
const workflows = filesIn(".github/workflows");
const forms = filesIn(".github/ISSUE_TEMPLATE").filter((path) => !path.endsWith("config.yml"));

function run(tool: string, args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(join(tools ?? "", tool), args, { cwd: root, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe.skipIf(tools === undefined)(`what GitHub reads${reason}`, () => {
  test("actionlint accepts the workflows", () => {
    expect(run("actionlint", workflows)).toEqual({ status: 0, output: "" });
  });

  test.each([
    ["github-issue-forms", forms],
    ["github-issue-config", [join(root, ".github/ISSUE_TEMPLATE/config.yml")]],
    ["citation-file-format", [join(root, "CITATION.cff")]],
  ])("files follow the schema %s", (schema, files) => {
    expect(run("python/bin/check-jsonschema", ["--builtin-schema", `vendor.${schema}`, ...files])).toMatchObject({
      status: 0,
    });
  });
});

test("workflows run scripts that package.json has", () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const texts = workflows.map((path) => readFileSync(path, "utf8")).join("\n");
  const named = [...texts.matchAll(/\bnpm (?:run ([\w:-]+)|test\b)/gu)].map(([, name = "test"]) => name);
  expect(named).toContain("check");
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});
