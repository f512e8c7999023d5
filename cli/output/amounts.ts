const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** Formats a size such as `4.7 MB`, in units of 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Formats a time such as `2026-11-21 09:31` in local time; null becomes a dash. */
export function formatTime(time: number | null): string {
  if (time === null) return "–";
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const minute = 60_000;
/** Units of ages in milliseconds, largest first. A month is a twelfth of a year. */
const ageUnits = [
  ["y", 365.25 * 24 * 60 * minute],
  ["mo", (365.25 / 12) * 24 * 60 * minute],
  ["d", 24 * 60 * minute],
  ["h", 60 * minute],
  ["min", minute],
] as const;

/** Formats the distance of a time from now, in whole units: `3 h ago`, `in 2 d`, `now`; null becomes a dash. */
export function formatAge(time: number | null, now: number = Date.now()): string {
  if (time === null) return "–";
  const distance = Math.abs(now - time);
  const [unit, length] = ageUnits.find(([, length]) => distance >= length) ?? [];
  if (unit === undefined || length === undefined) return "now";
  const amount = `${Math.floor(distance / length)} ${unit}`;
  return time > now ? `in ${amount}` : `${amount} ago`;
}

/** Formats an amount such as `1 page` or `2 pages`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/**
 * Formats a duration: `less than a second`, `8 s`, `3 min 20 s`, `2 h 5 min`; at most two units, seconds being the
 * smallest.
 */
export function formatDuration(ms: number): string {
  if (ms < 1000) return "less than a second";
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  if (minutes > 0) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
}

const bars = "▁▂▃▄▅▆▇█";

/** Draws one character per value, as high as its share of the largest value; `·` for a missing one. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const height = (value: number): number => (most === 0 ? 0 : Math.round((value / most) * (bars.length - 1)));
  return values.map((value) => (value === undefined ? "·" : bars[height(value)])).join("");
}
