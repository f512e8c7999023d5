import type { FolderAddress } from "@drs/server/folder";
import { exitCodes } from "../exit-codes.ts";
import { CliError, usageError } from "../failures.ts";
import type { CommandIo } from "../command-io.ts";
import { isSameOrigin, meansServer, serverAddress } from "./address.ts";
import { credentialsPath, localProfile, profileNamed, type Profiles, readProfiles, readStoredKey } from "./profiles.ts";

/** The flags that select a server, a key and a workspace. */
export interface ConnectionFlags {
  readonly server?: string;
  readonly apiKey?: string;
  readonly profile?: string;
  readonly dataDir?: string;
  /** Id or name of the workspace that calls go to. */
  readonly workspace?: string;
}

/** The server that a command talks to. */
export type Target =
  | { readonly kind: "server"; readonly address: string; readonly profile: string | undefined }
  | { readonly kind: "folder"; readonly dataDir: string };

/**
 * Selects the server by flag, else by environment, else by the profile in use, else by the data folder of this machine.
 */
export async function targetOf(flags: ConnectionFlags, { env }: CommandIo): Promise<Target> {
  const { server, profile, dataDir } = flags;
  if (profile && dataDir) throw usageError("--profile and --data-dir each name a server", "leave one of them out");
  if (server) return { kind: "server", address: serverAddress(server), profile: undefined };
  if (profile) return profileTarget(profile, flags, env);
  if (dataDir) return folderTarget(flags, env);
  const { DRS_SERVER: envServer, DRS_PROFILE: envProfile, DRS_DATA_DIR: envDataDir } = env;
  if (envServer) return { kind: "server", address: serverAddress(envServer), profile: undefined };
  if (envProfile) return profileTarget(envProfile, flags, env);
  if (envDataDir) return folderTarget(flags, env);
  const { current } = await readProfiles(env);
  return current === undefined ? folderTarget(flags, env) : profileTarget(current, flags, env);
}

/** The key for a server. */
export interface Access {
  readonly key: string;
  /**
   * The only address that the key may be sent to, however the user has named it; undefined if that is the address that
   * the user named.
   */
  readonly only: FolderAddress | undefined;
}

/**
 * Returns the key for a server: the one given by the user, else that of its profile, else that of the data folder if
 * the server belongs to it.
 */
export async function accessTo(
  { address, profile }: Extract<Target, { kind: "server" }>,
  flags: ConnectionFlags,
  { env, signal }: CommandIo,
): Promise<Access> {
  const said = flags.apiKey || env["DRS_API_KEY"];
  if (said) return { key: said, only: undefined };
  const profiles = await readProfiles(env);
  const ofProfile = keyOfProfile(
    profiles,
    profile ?? (flags.profile || env["DRS_PROFILE"] || profiles.current),
    address,
  );
  if (ofProfile !== undefined) return { key: ofProfile, only: undefined };
  const { dataDir } = await folderTarget(flags, env);
  const ofFolder = await accessOfFolder(dataDir, address, signal);
  if (ofFolder !== undefined) return ofFolder;
  throw new CliError(`no API key for ${address}`, {
    next:
      `looked at --api-key, DRS_API_KEY, the profiles and ${credentialsPath(dataDir)}, whose key is only for the server of that folder; ` +
      `ask the server's owner for a key, then: drs login --server ${address}`,
    exitCode: exitCodes.auth,
  });
}

async function profileTarget(name: string, flags: ConnectionFlags, env: CommandIo["env"]): Promise<Target> {
  if (name === localProfile) return folderTarget(flags, env);
  const { server } = profileNamed(await readProfiles(env), name);
  return { kind: "server", address: serverAddress(server), profile: name };
}

/** Selects the folder that `drs serve` would use with the same flag, environment and config file. */
async function folderTarget(
  { dataDir }: ConnectionFlags,
  env: CommandIo["env"],
): Promise<Extract<Target, { kind: "folder" }>> {
  const { readDataDir } = await import("@drs/server/settings");
  return { kind: "folder", dataDir: readDataDir({ flags: dataDir ? { dataDir } : {}, env }) };
}

function keyOfProfile({ byName }: Profiles, name: string | undefined, address: string): string | undefined {
  const profile = name === undefined ? undefined : byName.get(name);
  return profile !== undefined && isSameOrigin(profile.server, address) ? profile.apiKey : undefined;
}

async function accessOfFolder(dataDir: string, address: string, signal: AbortSignal): Promise<Access | undefined> {
  const [{ isLocked, readOwner }, { isProven }] = await Promise.all([
    import("@drs/server/folder"),
    import("../local/proven.ts"),
  ]);
  // Another process may listen there after the server has stopped; it must not get the key.
  const owner = isLocked(dataDir) ? readOwner(dataDir)?.address : undefined;
  if (owner === undefined || !meansServer(address, owner.url)) return undefined;
  if (!(await isProven(owner, signal))) return undefined;
  const key = await readStoredKey(dataDir);
  return key === undefined ? undefined : { key, only: owner };
}
