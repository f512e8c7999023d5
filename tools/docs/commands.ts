import type { Command } from "commander";
import { definitionsOf } from "../../cli/main.ts";

/** The commands of `drs` as their `--help` shows them, at its width where there is no terminal. */
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

/** A command and those below it. */
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
  // Examples and notes are added only where help is written.
  command.configureOutput({
    writeOut: (piece) => (text += piece),
    writeErr: (piece) => (text += piece),
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  // The number of processors of the machine at hand.
  return text.replace(/(DRS_WORKERS;\s+default:)(\s+)\d/, "$1$2N");
}
