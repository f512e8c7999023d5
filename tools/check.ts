import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What `npm run check` looks at, in order; all of it runs even if something fails, so that one run shows everything. */
const scratch = mkdtempSync(join(tmpdir(), "drs-check-"));
const checks: readonly (readonly [what: string, command: string, ...args: string[]])[] = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--project", "."],
  ["proto format", "buf", "format", "--diff", "--exit-code"],
  ["proto lint", "buf", "lint"],
  ["proto compatibility", "buf", "breaking", "--against", "proto/released.binpb"],
  ["generate", "buf", "generate", "--output", scratch],
  [
    "generated code is up to date",
    "diff",
    "--recursive",
    "--brief",
    `${scratch}/clients/typescript/gen`,
    "clients/typescript/gen",
  ],
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
