import type { Command } from "commander";
import { connectTo } from "../../connection/connect.ts";
import { targetOf } from "../../connection/target.ts";
import type { Check } from "../../doctor/check.ts";
import { checkDataDir, checkInstructions, checkNode, checkPrivacy } from "../../doctor/machine.ts";
import { checkConverter, checkModel, checkModules } from "../../doctor/modules.ts";
import { checkFolderServer, checkKey, checkProfiles, checkServer } from "../../doctor/service.ts";
import { exitCodes } from "../../exit-codes.ts";
import { createOutput } from "../../output/output.ts";
import { padEnd, printable } from "../../output/printable.ts";
import { type ClientFlags, type Context, withClient, withExamples } from "../command.ts";
import { settingsOf, withSettings } from "./server-settings.ts";

const marks: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

export function defineDoctor(command: Command, context: Context): void {
  const settings = withSettings(
    withClient(command),
    // Every client command already has a flag for the data folder.
    ({ name }) => name === "model" || name === "converter",
  );
  withExamples(settings, [
    ["drs doctor", "shows what works, what is missing and how to fix it"],
    ["drs doctor --json", "the same for a program"],
  ])
    .addHelpText(
      "after",
      "\nExits with 1 if something that the service needs is missing; a server that is not running is only a warning.",
    )
    .action(async (flags: ClientFlags & Record<string, unknown>) => {
      const { io } = context;
      const output = createOutput(io, flags.json === true);
      const { dataDir, model, modelsDir, converter } = settingsOf(flags, io);
      const checks: Check[] = [];
      const add = (check: Check): void => {
        checks.push(check);
        output.line(`${marks[check.status]} ${padEnd(check.name, 16)}  ${printable(check.message)}`);
        if (check.next !== "") output.line(`    → ${check.next}`);
        io.signal.throwIfAborted();
      };
      add(checkNode());
      add(await checkDataDir(dataDir));
      const privacy = checkPrivacy(dataDir);
      if (privacy !== undefined) add(privacy);
      const instructions = checkInstructions();
      if (instructions !== undefined) add(instructions);
      for (const check of await checkModules(instructions === undefined)) add(check);
      add(await checkModel(model ?? "builtin", modelsDir, io.signal));
      add(await checkConverter(converter));
      add(await checkProfiles(io.env));
      const target = await targetOf(flags, io);
      const { isRunning, check } = await (target.kind === "server"
        ? checkServer(target.address)
        : checkFolderServer(target.dataDir, io));
      add(check);
      // The check must not start a server itself.
      const onlooker = { ...io, env: { ...io.env, DRS_LOCAL: "never" } };
      if (isRunning) add(await checkKey(() => connectTo(flags, onlooker, () => undefined)));

      const failed = checks.filter(({ status }) => status === "fail").length;
      output.result({ ok: failed === 0, checks }, () => []);
      if (failed > 0) context.finish(exitCodes.failed);
    });
}
