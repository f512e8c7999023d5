import { execFileSync, spawnSync } from "node:child_process";

/** Programs that check and draw PDFs independently of drs; not every machine has them. */
export function hasTool(name: string): boolean {
  return spawnSync(name, ["--version"]).error === undefined;
}

export const toolReason = (...names: string[]): string => {
  const missing = names.filter((name) => !hasTool(name));
  return missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`;
};

/** Throws with the tool's own words unless it is content. */
export function runTool(name: string, args: readonly string[]): string {
  return execFileSync(name, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
}
