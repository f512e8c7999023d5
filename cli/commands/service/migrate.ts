import type { Command } from "commander";
import { exitCodes } from "../../exit-codes.ts";
import { count } from "../../output/amounts.ts";
import { createOutput } from "../../output/output.ts";
import { type Context, withExamples, withJson } from "../command.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";

interface MigrateFlags extends Record<string, unknown> {
  readonly check?: true;
  readonly json?: true;
}

export function defineMigrate(command: Command, { io, finish }: Context): void {
  withExamples(withJson(withSettings(command, ({ name }) => name === "dataDir" || name === "databaseUrl")), [
    ["drs migrate --check", "checks whether starting this version would change the tables"],
    ["drs migrate", "changes them now, before a rolling upgrade"],
  ])
    .option("--check", "change nothing; exits with 1 if a migration is needed")
    .addHelpText("after", "\ndrs serve and drs worker do this by themselves when they start.")
    .action(async (flags: MigrateFlags) => {
      const output = createOutput(io, flags.json === true);
      const settings = settingsOf(flags, io);
      keepToOwner();
      const { migrateMetadata, pendingMigrations } = await import("@drs/server/backup");
      const isCheck = flags.check === true;
      const found = await (isCheck ? pendingMigrations(settings) : migrateMetadata(settings));
      const isNew = found === "new";
      const migrations = isNew ? [] : found;
      const isUpToDate = !isNew && migrations.length === 0;
      output.result({ isUpToDate: isUpToDate || !isCheck, isNew, migrations }, () => migrations);
      if (isCheck && !isUpToDate) finish(exitCodes.failed);
      if (output.json) return;
      if (isNew) output.note(isCheck ? "there is no database yet" : "a new database was made");
      else if (isUpToDate) output.note("the tables are up to date");
      else output.note(`${count(migrations.length, "migration")} ${isCheck ? "to be run: drs migrate" : "run"}`);
    });
}
