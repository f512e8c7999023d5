import { type Parse, SettingError } from "./setting-values.ts";

/** The definition of a setting, from which its value, flag, variable and help are derived. */
export interface Setting<Value> {
  readonly placeholder: string;
  readonly description: string;
  /** The default as a user would write it; empty if it is unset. */
  readonly default: string;
  /** Reads the text, which is empty if the setting is unset. */
  readonly read: Parse<Value>;
}

/** Defines a setting that always has a value. It must not be empty unless its default is. */
export function setting<Value>(
  placeholder: string,
  description: string,
  fallback: string,
  parse: Parse<Value>,
): Setting<Value> {
  const read: Parse<Value> = (text, flag) => {
    if (text === "" && fallback !== "") throw new SettingError(`${flag} must not be empty`);
    return parse(text, flag);
  };
  return { placeholder, description, default: fallback, read };
}

/** Defines a setting whose value is undefined if it is unset. */
export function optional<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Setting<Value | undefined> {
  const read: Parse<Value | undefined> = (text, flag) => (text === "" ? undefined : parse(text, flag));
  return { placeholder, description, default: "", read };
}

/** The values of settings by name. */
export type ValuesOf<Definitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends Setting<infer Value> ? Value : never;
};

/** Derives the names of a setting: `dataDir` has the key `data-dir` in the config file, `--data-dir` and `DRS_DATA_DIR`. */
export function namesOf(name: string): Readonly<Record<"key" | "flag" | "variable", string>> {
  const key = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return { key, flag: `--${key}`, variable: `DRS_${key.replaceAll("-", "_").toUpperCase()}` };
}

/** Returns the flag and the variable, as messages name a setting. */
export function flagOf(name: string): string {
  const { flag, variable } = namesOf(name);
  return `${flag} (${variable})`;
}
