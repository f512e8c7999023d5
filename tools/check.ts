import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The checks of `npm run check`, in order. All run even if some fail, so that one run shows everything. */
const scratch = mkdtempSync(join(tmpdir(), "drs-check-"));
const typescript = "clients/typescript/gen";
const python = "clients/python/src/drs_client/gen";
/** Excludes compiled Python, which lies beside the source. */
const whole = ["--recursive", "--brief", "--exclude=__pycache__"];
const checks: readonly (readonly [what: string, command: string, ...args: string[]])[] = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["doc comments", "node", "tools/lint/doc-comments.ts"],
  ["types", "tsc", "--project", "."],
  ["types of the console", "tsc", "--project", "console"],
  ["proto format", "buf", "format", "--diff", "--exit-code"],
  ["proto lint", "buf", "lint"],
  ["proto compatibility", "buf", "breaking", "--against", "proto/released.binpb"],
  ["generate", "buf", "generate", "--output", scratch],
  ["generated TypeScript is up to date", "diff", ...whole, `${scratch}/${typescript}`, typescript],
  ["generated Python is up to date", "diff", ...whole, `${scratch}/${python}`, python],
  ["Python without asyncio is up to date", "node", "tools/python/write-twins.ts", "--check"],
  ["the reference is up to date", "node", "tools/docs/write-reference.ts", "--check"],
];

const failed = checks.filter(([what, command, ...args]) => {
  console.log(`\n== ${what}: ${command} ${args.join(" ")}`);
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) console.error(error.message);
  return status !== 0;
});
rmSync(scratch, { recursive: true, force: true });

console.log(failed.length === 0 ? "\nall checks passed" : `\nfailed: ${failed.map(([what]) => what).join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
