import ipaddr from "ipaddr.js";

/** The error of a setting that cannot be used; the message names it and the expected value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/* Readers of values as they are typed. `flag`: how messages name the setting. All throw `SettingError`. */

export function integer(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new SettingError(`${flag} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

const units: Record<string, number> = { "": 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40 };

/** Parses sizes such as `1048576`, `100MB` and `1.5 GB`; the units are powers of 1024. */
export function bytes(flag: string, text: string, min?: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)$/i.exec(text.trim());
  const unit =
    units[
      (match?.[2] ?? "-")
        .toLowerCase()
        .replace("i", "")
        .replace(/^([kmgt])$/, "$1b")
    ];
  const value = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new SettingError(`${flag} must be a size such as 500MB or 10GB, not "${text}"`);
  }
  if (min !== undefined && value < bytes(flag, min))
    throw new SettingError(`${flag} must be at least ${min}, not ${text}`);
  return value;
}

export function list(text = ""): readonly string[] {
  return text.split(",").flatMap((entry) => entry.trim() || []);
}

export function addresses(flag: string, entries: readonly string[]): readonly string[] {
  for (const entry of entries) {
    if (ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)) continue;
    throw new SettingError(`${flag} must be addresses and ranges such as 10.0.0.0/8, not "${entry}"`);
  }
  return entries;
}

/** Reads a secret that cannot be guessed; error messages do not repeat it. */
export function keys(flag: string, entries: readonly string[]): readonly string[] {
  if (entries.every((entry) => entry.length >= minKeyLength)) return entries;
  throw new SettingError(
    `${flag} must be keys of at least ${minKeyLength} characters; openssl rand -base64 32 makes one`,
  );
}

/** The minimum length: 192 bits in base64. */
const minKeyLength = 32;

export function oneOf<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new SettingError(`${flag} must be one of ${choices.join(", ")}, not "${text}"`);
  return choice;
}

export function baseUrl(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new SettingError(`${flag} must be an http or https address without a query, not "${text}"`);
  }
  return url.href.replace(/\/+$/, "");
}
