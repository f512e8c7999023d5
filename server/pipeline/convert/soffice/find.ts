import { execFile } from "node:child_process";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Availability } from "../converter.ts";
import { openScratch } from "../scratch.ts";
import { sofficeEnvironment } from "./profile.ts";

/** Locations that installers use, searched if LibreOffice is not on PATH. */
const usualLocations = [
  "/usr/lib/libreoffice/program/soffice",
  "/usr/lib64/libreoffice/program/soffice",
  "/opt/libreoffice/program/soffice",
  "/usr/local/bin/soffice",
  "/snap/bin/libreoffice",
  "/Applications/LibreOffice.app/Contents/MacOS/soffice",
];

/** The libraries of Writer, Calc and Impress, which distributions ship in separate packages. */
const modules = ["libswlo.so", "libsclo.so", "libsdlo.so"];

/** The first version that takes export options as JSON (LibreOffice 7.4 release notes, "PDF export"). */
const oldest = [7, 4] as const;

/** Time limit. LibreOffice answers in a tenth of a second, or in some seconds on a busy machine with a cold disk. */
const timeoutMs = 30_000;

interface FindOptions {
  /** The parent of a folder that exists during the search; the system's temporary folder by default. */
  readonly scratchParent?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** Looks for a system LibreOffice that is complete and new enough. */
export async function findSoffice({ scratchParent, env = process.env }: FindOptions = {}): Promise<Availability> {
  if (process.platform === "win32") return missing("system LibreOffice is not used on Windows");
  const onPath = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => {
    return folder === "" ? [] : [join(folder, "soffice"), join(folder, "libreoffice")];
  });
  let reason = "no soffice on PATH or in the usual places";
  for (const location of [...onPath, ...usualLocations]) {
    const path = await executable(location);
    if (path === undefined) continue;
    const found = await examine(path, scratchParent);
    if (found.available) return found;
    reason = found.reason;
  }
  return missing(reason);
}

async function examine(path: string, scratchParent: string | undefined): Promise<Availability> {
  const lacking = await missingModules(dirname(path));
  if (lacking.length > 0) return missing(`${path} is not complete: ${lacking.join(", ")} not installed`);
  const output = await versionOf(path, scratchParent).catch((cause: unknown) => String(cause));
  const version = /LibreOffice\S* (\d+)\.(\d+)\S*/.exec(output);
  if (version === null) return missing(`${path} does not say its version: ${output.slice(0, 200)}`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return missing(`${path} is ${version[0]}; ${oldest.join(".")} or newer is needed`);
  }
  return { available: true, version: version[0], location: path };
}

/** Returns the output of `--version`, run with a home that is not the user's. */
async function versionOf(path: string, scratchParent: string | undefined): Promise<string> {
  const scratch = await openScratch(scratchParent);
  try {
    const options = { env: sofficeEnvironment(scratch.path), timeout: timeoutMs, killSignal: "SIGKILL" } as const;
    return (await promisify(execFile)(path, ["--version"], options)).stdout;
  } finally {
    await scratch.close();
  }
}

/** Checks only program folders laid out as on Linux; others are assumed to be complete. */
async function missingModules(folder: string): Promise<string[]> {
  if (!(await exists(join(folder, "soffice.bin")))) return [];
  const present = await Promise.all(modules.map((name) => exists(join(folder, name))));
  // Builds with all code in one library have none of these.
  return present.includes(true) ? modules.filter((_, index) => present[index] !== true) : [];
}

async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function missing(reason: string): Availability {
  return { available: false, reason };
}
