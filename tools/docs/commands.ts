import type { Command } from "commander";
import { definitionsOf } from "../../cli/main.ts";

/** Returns the `--help` of all commands of `drs` in Markdown. */
export async function commandsReference(): Promise<string> {
  const program = await definitionsOf({
    io: { stdout: process.stdout, stderr: process.stderr, env: {}, signal: new AbortController().signal },
    finish: () => {},
    atEnd: () => {},
    definitions: () => Promise.reject(new Error("nothing is run")),
  });
  const commands = program.commands.filter((command) => command.name() !== "help");
  const list = commands.map(
    (command) => `- [\`drs ${command.name()}\`](#drs-${command.name()}): ${command.description()}`,
  );
  return [...list, "", section(program, "drs", 2), ...commands.map((command) => tree(command, "drs", 2))].join("\n");
}

/** Returns the sections of a command and its subcommands. */
function tree(command: Command, parent: string, level: number): string {
  const path = `${parent} ${command.name()}`;
  const inner = command.commands.filter((one) => one.name() !== "help").map((one) => tree(one, path, 3));
  return [section(command, path, level), ...inner].join("\n");
}

function section(command: Command, path: string, level: number): string {
  return `${"#".repeat(level)} ${path}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`;
}

function helpOf(command: Command): string {
  let text = "";
  // Commander adds examples and notes only when it writes the help.
  command.configureOutput({
    writeOut: (piece) => (text += piece),
    writeErr: (piece) => (text += piece),
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  // The help has the number of processors of this machine, so N replaces it.
  return text.replace(/(DRS_WORKERS;\s+default:)(\s+)\d/, "$1$2N");
}
