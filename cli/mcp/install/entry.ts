import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import type { ConnectionFlags } from "../../connection/target.ts";
import type { CommandIo } from "../../command-io.ts";

/** The command with which a program starts `drs mcp`. */
export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

const drs = fileURLToPath(new URL("../../bin/drs.js", import.meta.url));

/**
 * Returns the entry with the absolute paths of the running Node and drs, because graphical programs do not have the
 * PATH of a shell. Keys are not included: `drs login` and the data folder keep them.
 */
export function entryOf(
  flags: ConnectionFlags & { readonly root?: readonly string[] },
  env: CommandIo["env"],
  node = process.execPath,
): Entry {
  const { server, profile, dataDir } = placeOf(flags, env);
  const { workspace = env["DRS_WORKSPACE"], root = [] } = flags;
  const flag = (name: string, value: string | undefined): string[] => (value ? [name, value] : []);
  return {
    command: node,
    args: [
      drs,
      "mcp",
      ...flag("--server", server),
      ...flag("--profile", profile),
      ...flag("--data-dir", dataDir && resolve(dataDir)),
      ...flag("--workspace", workspace),
      ...root.flatMap((folder) => ["--root", folder]),
    ],
  };
}

/** Selects the server as `targetOf` does: a program starts `drs mcp` without the environment of this shell. */
function placeOf(
  flags: ConnectionFlags,
  { DRS_SERVER: server, DRS_PROFILE: profile, DRS_DATA_DIR: dataDir }: CommandIo["env"],
): Pick<ConnectionFlags, "server" | "profile" | "dataDir"> {
  if (flags.server || flags.profile || flags.dataDir) return flags;
  // Together with a server, the profile provides the key; together with a folder, the profile wins.
  return { ...(server && { server }), ...(profile ? { profile } : dataDir && { dataDir }) };
}
