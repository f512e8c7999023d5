import type { Command } from "commander";
import { connectTo, serverOf } from "../connection/connect.ts";
import type { Check } from "../doctor/check.ts";
import { checkDataDir, checkNode } from "../doctor/machine.ts";
import { checkConverter } from "../doctor/converter.ts";
import { checkModel } from "../doctor/model.ts";
import { checkModules } from "../doctor/modules.ts";
import { checkKey, checkServer } from "../doctor/service.ts";
import { exitCodes } from "../exit-codes.ts";
import { createOutput } from "../output/output.ts";
import { padEnd, printable } from "../output/printable.ts";
import { type ClientFlags, type Context, withClient, withExamples } from "./command.ts";
import { settingsOf, withSettings } from "./server-settings.ts";

const marks: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

export function defineDoctor(command: Command, context: Context): void {
  const settings = withSettings(
    withClient(command),
    ({ name }) => name === "dataDir" || name === "model" || name === "converter",
  );
  withExamples(settings, [
    ["drs doctor", "what works, what is missing, what to do"],
    ["drs doctor --json", "the same for a program"],
  ])
    .addHelpText(
      "after",
      "\nExits with 1 if something that the service needs is missing; a server that is not running is only a remark.",
    )
    .action(async (flags: ClientFlags & Record<string, unknown>) => {
      const { world } = context;
      const output = createOutput(world, flags.json === true);
      const { dataDir, model, converter } = settingsOf(flags, world);
      const clientWorld = { ...world, env: { ...world.env, DRS_DATA_DIR: dataDir } };
      const checks: Check[] = [];
      const add = (check: Check): void => {
        checks.push(check);
        output.line(`${marks[check.status]} ${padEnd(check.name, 16)}  ${printable(check.message)}`);
        if (check.next !== "") output.line(`    → ${check.next}`);
        world.signal.throwIfAborted();
      };
      add(checkNode());
      add(await checkDataDir(dataDir));
      for (const check of await checkModules()) add(check);
      add(await checkModel(model, world.signal));
      add(await checkConverter(converter));
      const server = await checkServer(await serverOf(flags, clientWorld), dataDir);
      add(server);
      if (server.status === "ok") add(await checkKey(() => connectTo(flags, clientWorld)));

      const failed = checks.filter(({ status }) => status === "fail").length;
      output.result({ ok: failed === 0, checks }, () => []);
      if (failed > 0) context.finish(exitCodes.failed);
    });
}
