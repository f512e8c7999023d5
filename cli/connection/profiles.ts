import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError, usageError } from "../failures.ts";
import type { CommandIo } from "../command-io.ts";

/** A server that the user has logged in to. Its key is for that server alone. */
interface Profile {
  readonly server: string;
  readonly apiKey: string;
}

export interface Profiles {
  /** The profile that is used unless another is named; undefined for this machine's data folder. */
  readonly current: string | undefined;
  readonly byName: ReadonlyMap<string, Profile>;
}

/** The profile name for this machine's data folder. */
export const localProfile = "local";

/** Whether files have modes; Windows uses other permissions. */
const hasModes = process.platform !== "win32";

export function configPath(env: CommandIo["env"]): string {
  return join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "drs", "config.json");
}

/** Reads the profiles; there are none if there is no file. Throws if others may read the file, or if it is damaged. */
export async function readProfiles(env: CommandIo["env"]): Promise<Profiles> {
  const path = configPath(env);
  const text = await readPrivate(path);
  if (text === undefined) return { current: undefined, byName: new Map() };
  const config = parse(text);
  if (config === undefined)
    throw new CliError(`${path} is damaged`, {
      next: "repair or remove it, then log in again: drs login --server URL",
    });
  const profiles = field(config, "profiles");
  const byName = new Map<string, Profile>();
  for (const [name, entry] of Object.entries(isObject(profiles) ? profiles : {})) {
    const [server, apiKey] = isObject(entry) ? [field(entry, "server"), field(entry, "apiKey")] : [];
    if (typeof server === "string" && typeof apiKey === "string") byName.set(name, { server, apiKey });
  }
  const current = field(config, "current");
  return { current: typeof current === "string" && byName.has(current) ? current : undefined, byName };
}

/** Replaces the file atomically, readable by its owner only. */
export async function writeProfiles(env: CommandIo["env"], { current, byName }: Profiles): Promise<void> {
  const path = configPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      // A leftover file keeps its old mode.
      await chmod(temporary, 0o600);
      await file.writeFile(`${JSON.stringify({ current, profiles: Object.fromEntries(byName) }, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

/** Returns the profiles without one of them; if it was in use, this machine's data folder is used next. */
export function withoutProfile({ current, byName }: Profiles, name: string): Profiles {
  const left = new Map(byName);
  left.delete(name);
  return { current: current === name ? undefined : current, byName: left };
}

/** Returns the profile of that name. Throws a usage error that lists the existing names. */
export function profileNamed({ byName }: Profiles, name: string): Profile {
  const profile = byName.get(name);
  if (profile !== undefined) return profile;
  const known = [localProfile, ...byName.keys()].join(", ");
  throw usageError(
    `there is no profile "${name}"`,
    `there are: ${known}; drs login --server URL --profile NAME adds one`,
  );
}

/** Throws a usage error if the text is not a valid profile name. */
export function checkProfileName(name: string): void {
  if (name === localProfile)
    throw usageError(`"${localProfile}" stands for the data folder of this machine`, "choose another name");
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._:@-]{0,63}$/u.test(name) || name === "__proto__")
    throw usageError(
      `"${name}" cannot be the name of a profile`,
      "begin with a letter or a digit; letters, digits, dot, dash, underscore, colon and @ may follow, 64 in all",
    );
}

async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  });
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    if (hasModes && (mode & 0o077) !== 0) {
      throw new CliError(`others on this machine may read the API keys in ${path}`, {
        next: `fix that with: chmod 600 ${path}, and create new keys if they may have been read: drs keys create`,
      });
    }
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parse(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function field(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
}

/** Path of the file with the API key that the server leaves for programs on the same machine. */
export function credentialsPath(dataDir: string): string {
  return join(dataDir, "credentials.json");
}

/** Returns the API key that the first start created, or undefined if there is none. Throws if the file is damaged. */
export async function readStoredKey(dataDir: string): Promise<string | undefined> {
  const path = credentialsPath(dataDir);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const key: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "apiKey") : undefined;
    return typeof key === "string" && key !== "" ? key : undefined;
  } catch {
    throw new CliError(`${path} is not JSON`, { next: "remove it and start the server again: it writes a new one" });
  }
}
