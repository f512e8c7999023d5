import { type Command, Option } from "commander";
import { isLoopback, serverAddress } from "../../connection/address.ts";
import { apiKeyWanted, askForSecret, invitationWanted, readPipedSecret } from "../../connection/ask-key.ts";
import {
  checkProfileName,
  configPath,
  profileNamed,
  readProfiles,
  withoutProfile,
  writeProfiles,
} from "../../connection/profiles.ts";
import { CliError, describeFailure, usageError } from "../../failures.ts";
import { createOutput } from "../../output/output.ts";
import { endPersonalToken, isPersonalToken, join, signInByBrowser, verifyKey } from "../../connection/sign-in.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";

interface LoginFlags extends JsonFlag {
  readonly server?: string;
  readonly profile?: string;
  readonly apiKeyStdin?: true;
  readonly invitation?: true;
  readonly invitationStdin?: true;
  readonly name?: string;
  readonly browser?: true;
}

export function defineLogin(command: Command, context: Context): void {
  withExamples(withJson(command), [
    ["drs login --server https://drs.example.com", "asks for the key; later commands use that server"],
    ["drs login --server http://10.0.0.5:8420 --profile lab", "with a profile name of your choice"],
    ["drs login --server https://drs.example.com --api-key-stdin < key", "without a terminal"],
    ["drs login --server https://drs.example.com --browser", "sign in with a browser, here or elsewhere"],
    ["drs login --server https://drs.example.com --invitation", "join an organisation; asks for the invitation"],
  ])
    .option("--server <url>", "address of the server (DRS_SERVER)")
    .option("--profile <name>", "name of the profile (DRS_PROFILE; default: the server's host)")
    .option("--api-key-stdin", "read the key from standard input instead of asking for it")
    .addOption(
      new Option(
        "--invitation",
        "join with an invitation, which the command asks for; the key is then a personal token",
      ).conflicts(["apiKeyStdin", "invitationStdin"]),
    )
    .addOption(
      new Option("--invitation-stdin", "join with an invitation, which is read from standard input").conflicts(
        "apiKeyStdin",
      ),
    )
    .addOption(
      new Option(
        "--browser",
        "sign in with a browser, where you compare a code and approve; the key is then a personal token",
      ).conflicts(["apiKeyStdin", "invitation", "invitationStdin"]),
    )
    .option("--name <name>", "your name after joining (default: as in the invitation)")
    .addHelpText("after", "\nThe key is checked with the server and saved in the config folder, for that server only.")
    .action(async (flags: LoginFlags) => {
      const { io } = context;
      const { env, signal } = io;
      const asked = flags.server || env["DRS_SERVER"];
      if (!asked) throw usageError("no server is given", "name it: drs login --server https://drs.example.com");
      const server = serverAddress(asked);
      const { host, hostname, protocol } = new URL(server);
      const name = flags.profile || env["DRS_PROFILE"] || host.replaceAll(/[[\]]/g, "");
      checkProfileName(name);
      // A damaged file is reported before anybody types a key.
      const before = await readProfiles(env);
      const output = createOutput(io, flags.json === true);
      if (protocol === "http:" && !isLoopback(hostname) && !output.json)
        output.note(`${server} is not encrypted: others on the network can read the key and the documents`);
      const joins = flags.invitation === true || flags.invitationStdin === true;
      if (flags.name !== undefined && !joins)
        throw usageError("--name works only with an invitation", "add --invitation, or leave it out");
      const byBrowser = flags.browser === true;
      const wanted = joins ? invitationWanted : apiKeyWanted;
      // An invitation and an approval can be used only once, so make sure first that the token can be saved.
      if (joins || byBrowser) await writeProfiles(env, before);
      const isPiped = flags.apiKeyStdin === true || flags.invitationStdin === true;
      const secret = byBrowser
        ? await signInByBrowser(server, output, io)
        : isPiped
          ? await readPipedSecret(wanted, io)
          : await askForSecret(`${wanted.noun} for ${server}: `, wanted, io);
      const apiKey = joins ? await join({ server, invitation: secret, name: flags.name }, signal) : secret;
      if (!joins && !byBrowser) await verifyKey({ server, apiKey }, signal);
      const byName = new Map(before.byName).set(name, { server, apiKey });
      await writeProfiles(env, { current: name, byName });
      output.result({ profile: name, server, path: configPath(env) }, () => [
        `logged in to ${server} as profile ${name}`,
      ]);
      const stronger = ["DRS_SERVER", "DRS_PROFILE", "DRS_DATA_DIR"].filter((variable) => env[variable]);
      if (stronger.length > 0 && !output.json)
        output.note(
          `${stronger.join(" and ")} in the environment ${stronger.length === 1 ? "takes" : "take"} precedence over the profile in use`,
        );
    });
}

export function defineLogout(command: Command, context: Context): void {
  withExamples(withJson(command), [
    ["drs logout", "removes the profile in use and its key"],
    ["drs logout --profile lab", "another one"],
  ])
    .option("--profile <name>", "which profile (DRS_PROFILE; default: the one in use)")
    .addHelpText(
      "after",
      "\nThis also ends a personal token, as created by drs login --browser and --invitation. An API key stays valid for everybody\nwho has it; drs keys revoke ends it.",
    )
    .action(async (flags: JsonFlag & { profile?: string }) => {
      const { io } = context;
      const { env } = io;
      const profiles = await readProfiles(env);
      const name = flags.profile || env["DRS_PROFILE"] || profiles.current;
      if (name === undefined)
        throw usageError("there is nothing to log out from", "drs profiles list shows the profiles");
      const { server, apiKey } = profileNamed(profiles, name);
      if (isPersonalToken(apiKey)) {
        try {
          await endPersonalToken({ server, apiKey }, io.signal);
        } catch (cause) {
          throw new CliError(`the personal token could not be ended: ${describeFailure(cause).message}`, {
            next: `try again; drs profiles remove ${name} removes it here, but it stays valid`,
          });
        }
      }
      await writeProfiles(env, withoutProfile(profiles, name));
      createOutput(io, flags.json === true).result({ profile: name, server }, () => [`logged out from ${server}`]);
    });
}
