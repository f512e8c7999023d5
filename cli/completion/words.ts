import type { Command, Option } from "commander";
import { choicesOf } from "../commands/flag-values.ts";

/** The values that can be completed at a place of the command line. */
export type Value =
  | { readonly kind: "words" | "list"; readonly words: readonly string[] }
  | { readonly kind: "files" | "folders" | "anything" };

export interface OptionWords {
  /** `--limit`, and the short form if there is one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly value: Value | undefined;
}

/** One command of the program, with everything that can follow it. */
export interface CommandWords {
  /** `drs jobs list` */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWords[];
  /** The kind of its first argument; undefined if it takes none. */
  readonly operand: Value | undefined;
}

/** Returns the program and all its commands, outer ones first, as their `--help` shows them. */
export function wordsOf(command: Command, path = command.name()): CommandWords[] {
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const inner = visible.filter((one) => one.name() !== "help");
  const [operand] = command.registeredArguments;
  const names = inner.map((one) => one.name());
  const own: CommandWords = {
    path,
    commands: visible.map((one) => ({ name: one.name(), description: one.description() })),
    options: help.visibleOptions(command).map(optionWords),
    operand: operand && valueOf(operand.name(), operand.argChoices),
  };
  const helper: CommandWords = {
    path: `${path} help`,
    commands: [],
    options: [],
    operand: { kind: "words", words: names },
  };
  return [
    own,
    ...(visible.length > inner.length ? [helper] : []),
    ...inner.flatMap((one) => wordsOf(one, `${path} ${one.name()}`)),
  ];
}

function optionWords(option: Option): OptionWords {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1];
  return {
    names,
    description: option.description,
    value: placeholder === undefined ? undefined : optionValue(option, placeholder),
  };
}

function optionValue(option: Option, placeholder: string): Value {
  const words = choicesOf(option);
  // Only our own parsers take several values at once.
  if (words !== undefined && option.argChoices === undefined) return { kind: "list", words };
  return valueOf(placeholder, words);
}

/** Chooses the kind of value by the name of the placeholder in the help. */
function valueOf(name: string, words: readonly string[] | undefined): Value {
  if (words !== undefined) return { kind: "words", words };
  if (/file|path/.test(name)) return { kind: "files" };
  return { kind: /dir|folder|pack/.test(name) ? "folders" : "anything" };
}
