/** One setting with its names on the command line, in the environment and in the config file. */
export interface SettingDefinition<Name extends string = string> {
  /** Its name in `Settings`. */
  readonly name: Name;
  /** `--data-dir`; the config file uses the same word without dashes in front. */
  readonly flag: string;
  readonly variable: string;
  readonly placeholder: string;
  readonly description: string;
  /** The default as a user would write it; undefined if it is unset. */
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

/** The texts of settings, as written in their sources. */
export interface SettingTexts<Name extends string> {
  /** Returns the text; undefined if it is unset. */
  text(name: Name): string | undefined;
  /** Returns the text. Throws `SettingError` if it is unset. */
  need(name: Name): string;
  /** Returns the name for messages. */
  flagOf(name: Name): string;
}
