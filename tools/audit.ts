import { spawnSync } from "node:child_process";
import { verdictOf } from "./audit/verdict.ts";

/**
 * Asks the registry for known vulnerabilities of the packages that drs ships with. Fails for high and critical ones. Not every
 * registry answers such requests; if it does not, the output says so.
 */
const { stdout, error } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
  // Hides npm's own warnings about its settings.
  stdio: ["ignore", "pipe", "ignore"],
});
if (error !== undefined) throw error;
const { kind, sentence } = verdictOf(stdout);
console.log(kind === "unknown" ? `audit skipped: ${sentence}` : `audit: ${sentence}`);
process.exitCode = kind === "vulnerable" ? 1 : 0;
