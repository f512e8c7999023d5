import { isMainThread } from "node:worker_threads";
import { type Command, Option } from "commander";
import { readSettings, type SettingDefinition, settingDefinitions, type Settings } from "@drs/server/settings";
import type { World } from "../world.ts";

/** A flag for every setting of the server, as its own table names them. */
export function withSettings(
  command: Command,
  wanted: (definition: SettingDefinition) => boolean = () => true,
): Command {
  for (const definition of settingDefinitions.filter(wanted)) command.addOption(optionOf(definition));
  return command;
}

/** The settings out of flags, environment and config file. Throws `SettingError`, which names the setting. */
export function settingsOf(flags: Readonly<Record<string, unknown>>, { env }: World): Settings {
  const given: Partial<Record<keyof Settings, string>> = {};
  for (const definition of settingDefinitions) {
    const value = flags[optionOf(definition).attributeName()];
    if (typeof value === "string") given[definition.name] = value;
  }
  return readSettings({ flags: given, env });
}

function optionOf({ flag, placeholder, description, variable, default: fallback }: SettingDefinition): Option {
  // Defaults are only told, not set: what stands in the environment goes before them.
  const told = fallback === undefined || fallback === "" ? variable : `${variable}; default: ${fallback}`;
  return new Option(`${flag} <${placeholder.toLowerCase()}>`, `${description} (${told})`);
}

/**
 * What this process makes from now on is for its owner only, also what libraries make. Not for commands that serve
 * themselves: what they save for their user has the modes that the user wants.
 */
export function keepToOwner(): void {
  // Tests run commands in threads, which have no umask of their own.
  if (isMainThread) process.umask(0o077);
}
