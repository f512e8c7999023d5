import { resolve } from "node:path";
import ipaddr from "ipaddr.js";

/** The error of a setting that cannot be used; the message names it and the expected value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** Parses a value as it is typed. `flag`: how messages name the setting. Throws `SettingError`. */
export type Parse<Value> = (text: string, flag: string) => Value;

export const anyText: Parse<string> = (text) => text;

export const folder: Parse<string> = (text) => resolve(text);

export function integer(min: number, max: number): Parse<number> {
  return (text, flag) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new SettingError(`${flag} must be a whole number from ${min} to ${max}, not "${text}"`);
  };
}

const units: Record<string, number> = { "": 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40 };

/** Parses sizes such as `1048576`, `100MB` and `1.5 GB`; the units are powers of 1024. */
export const bytes: Parse<number> = (text, flag) => {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)$/i.exec(text.trim());
  const unit =
    units[
      (match?.[2] ?? "-")
        .toLowerCase()
        .replace("i", "")
        .replace(/^([kmgt])$/, "$1b")
    ];
  const value = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new SettingError(`${flag} must be a size such as 500MB or 10GB, not "${text}"`);
};

export function bytesFrom(min: string): Parse<number> {
  return (text, flag) => {
    const value = bytes(text, flag);
    if (value >= bytes(min, flag)) return value;
    throw new SettingError(`${flag} must be at least ${min}, not ${text}`);
  };
}

export function listOf<Value>(parse: Parse<Value>): Parse<readonly Value[]> {
  return (text, flag) => {
    const entries = text.split(",").flatMap((entry) => entry.trim() || []);
    return entries.map((entry) => parse(entry, flag));
  };
}

export const address: Parse<string> = (text, flag) => {
  if (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)) return text;
  throw new SettingError(`${flag} must be addresses and ranges such as 10.0.0.0/8, not "${text}"`);
};

/** The minimum length: 192 bits in base64. */
const minKeyLength = 32;

/** Parses a secret that cannot be guessed; error messages do not repeat it. */
export const secretKey: Parse<string> = (text, flag) => {
  if (text.length >= minKeyLength) return text;
  throw new SettingError(
    `${flag} must be keys of at least ${minKeyLength} characters; openssl rand -base64 32 makes one`,
  );
};

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text, flag) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return choice;
    throw new SettingError(`${flag} must be one of ${choices.join(", ")}, not "${text}"`);
  };
}

/** Parses a URL and removes slashes at its end. */
export const baseUrl: Parse<string> = (text, flag) => {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") {
    return url.href.replace(/\/+$/, "");
  }
  throw new SettingError(`${flag} must be an http or https address without a query, not "${text}"`);
};
