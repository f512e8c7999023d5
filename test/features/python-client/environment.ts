import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A folder that `.ci/python` has filled. */
const tools = process.env["DRS_TEST_PYTHON"] ?? "";

export const hasPython = tools !== "" && existsSync(join(tools, "cache")) && existsSync(join(tools, "pyright"));
export const pythonReason = hasPython
  ? ""
  : " (skipped: no packages of Python; install them with .ci/python FOLDER and name it with DRS_TEST_PYTHON)";

/** A Python that has pyarrow and numpy, if there is one. */
export const arrowPython = join(tools, "arrow", "bin", "python");

export const clientFolder = fileURLToPath(new URL("../../../clients/python", import.meta.url));
export const pyright = join(tools, "pyright", "node_modules", "pyright", "index.js");

type Env = Readonly<Record<string, string>>;

/** Runs a program with little more than its path in the environment. Throws with all that it has written if it fails. */
export async function run(program: string, words: readonly string[], cwd: string, env: Env = {}): Promise<string> {
  // Programs of Python write their compiled modules and settings nowhere but where they are told to.
  const fixed = { PATH: process.env["PATH"] ?? "", HOME: cwd, PYTHONDONTWRITEBYTECODE: "1", LANG: "C.UTF-8" };
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      cwd,
      env: { ...fixed, ...env },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = Object(cause);
    throw new Error(`${program} ${words.join(" ")}\n${stdout}\n${stderr}`, { cause });
  }
}

/** Runs uv, which gets everything out of its cache. */
async function uv(words: readonly string[], env: Env = {}): Promise<string> {
  const own = { UV_CACHE_DIR: join(tools, "cache"), UV_OFFLINE: "1", UV_PYTHON_DOWNLOADS: "never", ...env };
  return run(join(tools, "tools", "bin", "uv"), words, clientFolder, own);
}

/** Builds the wheel into a folder; resolves with its path. */
export async function buildWheel(folder: string): Promise<string> {
  await uv(["build", "--wheel", "--out-dir", folder]);
  const [wheel = ""] = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
  return join(folder, wheel);
}

/** Makes an environment with the wheel and the locked packages that it needs; resolves with the folder of its programs. */
export async function makeEnvironment(folder: string, wheel: string, groups: readonly string[]): Promise<string> {
  const env = { UV_PROJECT_ENVIRONMENT: folder, VIRTUAL_ENV: folder };
  await uv(["sync", "--frozen", "--no-install-project", ...groups], env);
  await uv(["pip", "install", "--no-deps", wheel], env);
  return join(folder, "bin");
}
