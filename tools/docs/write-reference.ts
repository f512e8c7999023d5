import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * `node tools/docs/write-reference.ts [--check]`: writes `.env.example` and the parts of `docs/` that are generated from
 * definitions in the code, each between two comments on its page. `--check` only lists the files that are not up to date.
 * The text around the generated parts is written by hand.
 */
const folder = "docs";
const begin = "<!-- generated: npm run docs:reference -->\n\n";
const end = "\n\n<!-- end of what is generated -->\n";

// Set before the definitions are loaded, which read it, so that the reference has the same data folder on every machine.
process.env["XDG_DATA_HOME"] = "~/.local/share";
const { commandsReference } = await import("./commands.ts");
const { errorsReference } = await import("./errors.ts");
const { limitsReference } = await import("./limits.ts");
const { metricsReference } = await import("./metrics.ts");
const { restReference } = await import("./rest.ts");
const { envExample, settingsReference } = await import("./settings.ts");

const pages: readonly (readonly [file: string, text: string])[] = [
  ["reference/commands.md", await commandsReference()],
  ["decisions/index.md", decisionsReference()],
  ["reference/errors.md", errorsReference()],
  ["reference/limits.md", limitsReference()],
  ["reference/metrics.md", metricsReference()],
  ["reference/rest.md", restReference()],
  ["reference/settings.md", settingsReference()],
];

const files: readonly (readonly [path: string, text: string])[] = [
  ...pages.map(([file, text]) => withGenerated(join(folder, file), text)),
  [".env.example", envExample()],
];

const isCheck = process.argv.includes("--check");
const stale: string[] = [];
for (const [path, current] of files) {
  if (current === readFileSync(path, "utf8")) continue;
  if (isCheck) stale.push(path);
  else writeFileSync(path, current);
}
if (stale.length > 0) {
  console.error(`not up to date, run npm run docs:reference: ${stale.join(", ")}`);
  process.exitCode = 1;
}

function withGenerated(path: string, text: string): readonly [path: string, text: string] {
  const present = readFileSync(path, "utf8");
  const from = present.indexOf(begin);
  const to = present.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no place for what is generated: ${begin.trim()}`);
  return [path, `${present.slice(0, from)}${begin}${text.trim()}${present.slice(to)}`];
}

/** Returns a list of links to the decisions. Their titles begin with their numbers. */
function decisionsReference(): string {
  const items = globSync("docs/decisions/[0-9]*.md")
    .toSorted()
    .map((path) => {
      const text = readFileSync(path, "utf8");
      const [, title = ""] = /^# (.+)$/m.exec(text) ?? [];
      const isSuperseded = /^# .+\n\nSuperseded/.test(text);
      return `- [${title}](${basename(path)})${isSuperseded ? " (superseded)" : ""}`;
    });
  return items.join("\n");
}
