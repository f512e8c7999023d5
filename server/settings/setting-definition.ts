/** One setting: how it is named on the command line, in the environment and in the config file. */
export interface SettingDefinition<Name extends string = string> {
  /** Its name in `Settings`. */
  readonly name: Name;
  /** `--data-dir`; the config file uses the same word without dashes in front. */
  readonly flag: string;
  readonly variable: string;
  readonly placeholder: string;
  readonly description: string;
  /** As a user would write it; undefined: unset. */
  readonly default: string | undefined;
}

export function setting<Name extends string>(
  name: Name,
  placeholder: string,
  description: string,
  fallback: string | undefined,
): SettingDefinition<Name> {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const variable = `DRS_${words.replaceAll("-", "_").toUpperCase()}`;
  return { name, flag: `--${words}`, variable, placeholder, description, default: fallback };
}

/** The texts of settings, as their sources say. */
export interface SettingTexts<Name extends string> {
  /** Undefined: unset. */
  text(name: Name): string | undefined;
  /** Throws `SettingError` where nothing is set. */
  need(name: Name): string;
  /** How messages name it. */
  flagOf(name: Name): string;
}
