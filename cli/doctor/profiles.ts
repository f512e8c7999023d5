import { configPath, readProfiles } from "../connection/profiles.ts";
import { CliError } from "../failures.ts";
import type { CommandIo } from "../command-io.ts";
import { type Check, ok, reasonIn, warn } from "./check.ts";

/** Checks the file of profiles, and reports which one is in use. */
export async function checkProfiles(env: CommandIo["env"]): Promise<Check> {
  const name = "profiles";
  try {
    const { current, byName } = await readProfiles(env);
    if (byName.size === 0) return ok(name, "none; drs login makes one");
    return ok(name, `${[...byName.keys()].join(", ")}; in use: ${current ?? "the data folder of this machine"}`);
  } catch (cause) {
    return warn(name, reasonIn(cause), cause instanceof CliError ? cause.next : `look at ${configPath(env)}`);
  }
}
