import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A folder that `.ci/generators` has filled. */
const folder = process.env["DRS_TEST_GENERATORS"] ?? "";

export const hasGenerators = existsSync(join(folder, "python")) && existsSync(join(folder, "typescript"));
export const generatorsReason = hasGenerators
  ? ""
  : " (skipped: no generators; install them with .ci/generators FOLDER and name it with DRS_TEST_GENERATORS)";

export const nodeModules = join(folder, "typescript", "node_modules");

/** Runs a program of the Python environment. Throws with its own words if it fails. */
export async function runPython(words: readonly string[], cwd: string): Promise<string> {
  const programs = join(folder, "python", "bin");
  const PATH = [programs, process.env["PATH"]].join(delimiter);
  return run(join(programs, "python"), words, { cwd, env: { ...process.env, PATH } });
}

/** Runs a program of the npm packages. Throws with its own words if it fails. */
export async function runPackage(name: string, words: readonly string[], cwd: string): Promise<string> {
  return run(process.execPath, [join(nodeModules, ".bin", name), ...words], { cwd });
}

export async function run(
  program: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, words, { ...options, maxBuffer: 2 ** 24 });
    return stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = Object(cause);
    throw new Error(`${program} ${words.join(" ")}\n${stdout}\n${stderr}`, { cause });
  }
}
