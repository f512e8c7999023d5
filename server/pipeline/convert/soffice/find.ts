import { execFile } from "node:child_process";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Availability } from "../converter.ts";
import { openScratch } from "../scratch.ts";
import { sofficeEnvironment } from "./environment.ts";

/** Where installers put it when it is not on PATH. */
const usualPlaces = [
  "/usr/lib/libreoffice/program/soffice",
  "/usr/lib64/libreoffice/program/soffice",
  "/opt/libreoffice/program/soffice",
  "/usr/local/bin/soffice",
  "/snap/bin/libreoffice",
  "/Applications/LibreOffice.app/Contents/MacOS/soffice",
];

/** The libraries of Writer, Calc and Impress; distributions ship them apart from the program. */
const modules = ["libswlo.so", "libsclo.so", "libsdlo.so"];

/** The first that takes export options as JSON (LibreOffice 7.4 release notes, "PDF export"). */
const oldest = [7, 4] as const;

/** It answers in a tenth of a second; on a busy machine with a cold disk in some seconds. */
const timeoutMs = 30_000;

interface Search {
  /** Where a folder is made for as long as the search takes; the system's temporary folder by default. */
  readonly scratchParent?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** Looks for a system LibreOffice that is complete and new enough. */
export async function findSoffice({ scratchParent, env = process.env }: Search = {}): Promise<Availability> {
  if (process.platform === "win32") return missing("system LibreOffice is not used on Windows");
  const onPath = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => {
    return folder === "" ? [] : [join(folder, "soffice"), join(folder, "libreoffice")];
  });
  let reason = "no soffice on PATH or in the usual places";
  for (const place of [...onPath, ...usualPlaces]) {
    const path = await executable(place);
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
  const said = await versionOf(path, scratchParent).catch((cause: unknown) => String(cause));
  const version = /LibreOffice\S* (\d+)\.(\d+)\S*/.exec(said);
  if (version === null) return missing(`${path} does not say its version: ${said.slice(0, 200)}`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return missing(`${path} is ${version[0]}; ${oldest.join(".")} or newer is needed`);
  }
  return { available: true, version: version[0], location: path };
}

/** What it says of itself, with a home that is not its user's. */
async function versionOf(path: string, scratchParent: string | undefined): Promise<string> {
  const scratch = await openScratch(scratchParent);
  try {
    const options = { env: sofficeEnvironment(scratch.path), timeout: timeoutMs, killSignal: "SIGKILL" } as const;
    return (await promisify(execFile)(path, ["--version"], options)).stdout;
  } finally {
    await scratch.close();
  }
}

/** Only where the program's folder looks as on Linux; elsewhere it is taken to be complete. */
async function missingModules(folder: string): Promise<string[]> {
  if (!(await exists(join(folder, "soffice.bin")))) return [];
  const present = await Promise.all(modules.map((name) => exists(join(folder, name))));
  // Builds with everything in one library have none of them.
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
