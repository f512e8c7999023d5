import { isMainThread } from "node:worker_threads";
import { type Command, Option } from "commander";
import { readSettings, type SettingDefinition, settingDefinitions, type Settings } from "@drs/server/settings";
import type { CommandIo } from "../../command-io.ts";

/** Adds a flag for every wanted server setting, named as in the table of settings. */
export function withSettings(
  command: Command,
  wanted: (definition: SettingDefinition) => boolean = () => true,
): Command {
  for (const definition of settingDefinitions.filter(wanted)) command.addOption(optionOf(definition));
  return command;
}

/** Reads the settings from flags, environment and config file. Throws `SettingError`, which names the setting. */
export function settingsOf(flags: Readonly<Record<string, unknown>>, { env }: CommandIo): Settings {
  const given: Partial<Record<keyof Settings, string>> = {};
  for (const definition of settingDefinitions) {
    const value = flags[optionOf(definition).attributeName()];
    if (typeof value === "string") given[definition.name] = value;
  }
  return readSettings({ flags: given, env });
}

function optionOf({ flag, placeholder, description, variable, default: fallback }: SettingDefinition): Option {
  // Defaults are only shown in the help, not set: environment variables take precedence over them.
  const told = fallback === "" ? variable : `${variable}; default: ${fallback}`;
  return new Option(`${flag} <${placeholder.toLowerCase()}>`, `${description} (${told})`);
}

/**
 * Makes every file that this process creates from now on, libraries included, readable by its owner only. Not for
 * commands that serve themselves: the files that they save for the user keep the user's own modes.
 */
export function keepToOwner(): void {
  // Tests run commands in threads, which cannot set a umask.
  if (isMainThread) process.umask(0o077);
}
