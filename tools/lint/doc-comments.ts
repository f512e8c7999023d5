import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { misfitsIn } from "./misfits.ts";

/**
 * `node tools/lint/doc-comments.ts` refuses doc comments that begin with a word by which a sentence has no subject. `npm run
 * check` runs it.
 */
const tracked = execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx"], { encoding: "utf8" });
const files = tracked.split("\0").filter((path) => path !== "" && !path.includes("/gen/"));
const found = files.flatMap((path) =>
  misfitsIn(readFileSync(path, "utf8")).map(({ line, text }) => `${path}:${line}: ${text}`),
);
for (const each of found) console.error(each);
if (found.length > 0) {
  console.error(
    `\n${found.length} doc comments begin with What, Of, Those or So many: say the subject first (CONTRIBUTING.md)`,
  );
  process.exitCode = 1;
}
