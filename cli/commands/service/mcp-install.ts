import { Argument, type Command } from "commander";
import type { ConnectionFlags } from "../../connection/target.ts";
import { CliError, usageError } from "../../failures.ts";
import { changeLines, readConfig, writeConfig } from "../../mcp/install/config-file.ts";
import { entryOf } from "../../mcp/install/entry.ts";
import { claudeCodeCommand, isMissing, type ProgramName, programNames, programOf } from "../../mcp/install/programs.ts";
import { createOutput } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import { canAsk, confirm } from "../agreement.ts";
import { type Context, withExamples } from "../command.ts";

interface InstallFlags extends ConnectionFlags {
  readonly root?: readonly string[];
  readonly print?: true;
  readonly yes?: true;
}

/** `withServe` adds the flags that the entry passes on to `drs mcp`. */
export function defineInstall(parent: Command, { io }: Context, withServe: (command: Command) => Command): void {
  const command = parent
    .command("install")
    .description("write drs into the configuration of a program that uses models");
  withExamples(withServe(command).addArgument(new Argument("<program>").choices([...programNames, "claude-code"])), [
    ["drs mcp install claude", "shows the change, asks, and writes it"],
    ["drs mcp install codex --profile lab --root ~/papers --yes", "for a server, without asking"],
    ["drs mcp install vscode --print", "only shows it"],
    ["drs mcp install claude-code", "prints the command that adds it there"],
  ])
    .option("--print", "only show the change")
    .option("--yes", "write it without asking")
    .addHelpText(
      "after",
      "\nThe rest of the file is not changed, comments included. No key is written: programs use the one of drs login or of\nthe data folder. DRS_SERVER, DRS_PROFILE, DRS_DATA_DIR and DRS_WORKSPACE are written as the corresponding flags.",
    )
    .action(async (name: ProgramName | "claude-code", own: InstallFlags, { parent: outer }: Command) => {
      // The parent command `drs mcp` has flags of the same names, and receives them wherever they stand.
      const flags: InstallFlags = { ...outer?.opts<InstallFlags>(), ...own };
      if (flags.apiKey) {
        throw usageError(
          "a key is never written to the configuration of other programs",
          "drs login saves it; use --profile",
        );
      }
      const output = createOutput(io, false);
      const entry = entryOf(flags, io.env);
      if (name === "claude-code") {
        output.line(claudeCodeCommand(entry));
        return output.note(
          "nothing was written: run this command, because Claude Code manages its configuration itself",
        );
      }
      const program = programOf(name, io.env);
      if (isMissing(name, program))
        throw usageError(
          `there is no ${program.title} here (${program.path}); it is made for macOS and Windows`,
          `for Claude Code: ${claudeCodeCommand(entry)}`,
        );
      const before = await readConfig(program.path);
      const show = (from: string, to: string): void => {
        output.line(program.path);
        for (const line of changeLines(from, to)) output.line(printable(line));
      };
      let after: string;
      try {
        after = program.withEntry(before, entry);
      } catch (cause) {
        // The entry that the user has to add by hand.
        if (cause instanceof CliError) show("", program.withEntry("", entry));
        throw cause;
      }
      if (after === before) return output.note(`${program.title} has it already: ${program.path}`);
      show(before, after);
      if (flags.print === true) return;
      if (flags.yes !== true) {
        if (!canAsk(io)) throw usageError("nothing was written", "confirm with --yes, or preview with --print");
        if (!(await confirm(`write this for ${program.title}?`, io))) return output.note("nothing was written");
      }
      await writeConfig(program.path, after);
      output.note(`written; ${program.after}`);
    });
}
