import type { Command } from "commander";
import { isLoopback, serverAddress } from "../connection/address.ts";
import { askForKey, readPipedKey } from "../connection/ask-key.ts";
import {
  checkProfileName,
  configPath,
  profileNamed,
  readProfiles,
  withoutProfile,
  writeProfiles,
} from "../connection/profiles.ts";
import { usageError } from "../failures.ts";
import { createOutput } from "../output/output.ts";
import { verifyKey } from "../connection/verify-key.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "./command.ts";

interface LoginFlags extends JsonFlag {
  readonly server?: string;
  readonly profile?: string;
  readonly apiKeyStdin?: true;
}

export function defineLogin(command: Command, context: Context): void {
  withExamples(withJson(command), [
    ["drs login --server https://drs.example.com", "asks for the key; later commands go to that server"],
    ["drs login --server http://10.0.0.5:8420 --profile lab", "a name of your own for it"],
    ["drs login --server https://drs.example.com --api-key-stdin < key", "without a terminal"],
  ])
    .option("--server <url>", "address of the server (DRS_SERVER)")
    .option("--profile <name>", "what to call it (DRS_PROFILE; default: the server's host)")
    .option("--api-key-stdin", "read the key from standard input instead of asking for it")
    .addHelpText("after", "\nThe key is checked with the server and kept in the config folder, for that server alone.")
    .action(async (flags: LoginFlags) => {
      const { world } = context;
      const { env, signal } = world;
      const asked = flags.server || env["DRS_SERVER"];
      if (!asked) throw usageError("which server?", "name it: drs login --server https://drs.example.com");
      const server = serverAddress(asked);
      const { host, hostname, protocol } = new URL(server);
      const name = flags.profile || env["DRS_PROFILE"] || host.replaceAll(/[[\]]/g, "");
      checkProfileName(name);
      // What is wrong with the file shall be said before anybody types a key.
      const before = await readProfiles(env);
      const output = createOutput(world, flags.json === true);
      if (protocol === "http:" && !isLoopback(hostname) && !output.json)
        output.note(`${server} is not encrypted: whoever is on the way there can read the key and the documents`);
      const apiKey =
        flags.apiKeyStdin === true ? await readPipedKey(world) : await askForKey(`API key for ${server}: `, world);
      await verifyKey({ server, apiKey }, signal);
      const byName = new Map(before.byName).set(name, { server, apiKey });
      await writeProfiles(env, { current: name, byName });
      output.result({ profile: name, server, path: configPath(env) }, () => [
        `logged in to ${server} as profile ${name}`,
      ]);
      const stronger = ["DRS_SERVER", "DRS_PROFILE", "DRS_DATA_DIR"].filter((variable) => env[variable]);
      if (stronger.length > 0 && !output.json)
        output.note(
          `${stronger.join(" and ")} in the environment ${stronger.length === 1 ? "goes" : "go"} before the profile in use`,
        );
    });
}

export function defineLogout(command: Command, context: Context): void {
  withExamples(withJson(command), [
    ["drs logout", "forgets the profile in use with its key"],
    ["drs logout --profile lab", "another one"],
  ])
    .option("--profile <name>", "which profile (DRS_PROFILE; default: the one in use)")
    .addHelpText("after", "\nThe key goes on working for those who have it; drs keys revoke ends that.")
    .action(async (flags: JsonFlag & { profile?: string }) => {
      const { world } = context;
      const { env } = world;
      const profiles = await readProfiles(env);
      const name = flags.profile || env["DRS_PROFILE"] || profiles.current;
      if (name === undefined)
        throw usageError("there is nothing to log out from", "drs profiles list shows what there is");
      const { server } = profileNamed(profiles, name);
      await writeProfiles(env, withoutProfile(profiles, name));
      createOutput(world, flags.json === true).result({ profile: name, server }, () => [`logged out from ${server}`]);
    });
}
