import { InvalidArgumentError } from "commander";

/** Units as in the settings of `drs serve`: powers of 1,024. */
const units = [
  ["TB", 2 ** 40],
  ["GB", 2 ** 30],
  ["MB", 2 ** 20],
  ["kB", 2 ** 10],
  ["B", 1],
] as const;

/** Reads a size such as `500MB`, `1.5 GB` or `1048576` as bytes. Throws `InvalidArgumentError` for anything else. */
export function parseSize(text: string): number {
  const [, amount = "", named = ""] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b)?$/i.exec(text.trim()) ?? [];
  const [, unit] = units.find(([name]) => name.toLowerCase() === (named.toLowerCase() || "b")) ?? [];
  const bytes = unit === undefined || amount === "" ? Number.NaN : Math.floor(Number(amount) * unit);
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new InvalidArgumentError("It must be a size such as 500MB or 10GB.");
  return bytes;
}

/** Formats a size such as `4.7 MB`, `10 GB` or `0 B`: in the same units, to one decimal. */
export function roundedSize(bytes: number): string {
  const [name, unit] = units.find(([, size]) => bytes >= size) ?? ["B", 1];
  return `${Math.round((bytes / unit) * 10) / 10} ${name}`;
}

/** Formats the exact size as `parseSize` reads it: `10GB`, `1536MB`, `1000B`. */
export function formatSize(bytes: number): string {
  const [name, unit] = units.find(([, size]) => bytes >= size && bytes % size === 0) ?? ["B", 1];
  return `${bytes / unit}${name}`;
}
