import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import type { ConnectionFlags } from "../../connection/target.ts";

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
  { server, profile, dataDir, workspace, root = [] }: ConnectionFlags & { readonly root?: readonly string[] },
  node = process.execPath,
): Entry {
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
