import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import type { ConnectionFlags } from "../../connection/target.ts";
import type { World } from "../../world.ts";

/** How a program starts `drs mcp`. */
export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

const drs = fileURLToPath(new URL("../../bin/drs.js", import.meta.url));

/**
 * The Node and the drs that run now, by their whole paths: programs with windows know no PATH of a shell. Keys stay where
 * `drs login` and the data folder have them.
 */
export function entryOf(
  flags: ConnectionFlags & { readonly root?: readonly string[] },
  env: World["env"],
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

/** Where the documents are, as `targetOf` finds it: a program starts `drs mcp` without the environment of this shell. */
function placeOf(
  flags: ConnectionFlags,
  { DRS_SERVER: server, DRS_PROFILE: profile, DRS_DATA_DIR: dataDir }: World["env"],
): Pick<ConnectionFlags, "server" | "profile" | "dataDir"> {
  if (flags.server || flags.profile || flags.dataDir) return flags;
  // A profile beside a server has the key for it; beside a folder it is what counts.
  return { ...(server && { server }), ...(profile ? { profile } : dataDir && { dataDir }) };
}
