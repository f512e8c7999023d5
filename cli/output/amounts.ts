const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** `4.7 MB`; units of 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `2026-11-21 09:31`, local time; a dash where there is none. */
export function formatTime(time: number | null): string {
  if (time === null) return "–";
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const minute = 60_000;
/** Milliseconds of the units of ages, the largest first. A month is a twelfth of a year. */
const ageUnits = [
  ["y", 365.25 * 24 * 60 * minute],
  ["mo", (365.25 / 12) * 24 * 60 * minute],
  ["d", 24 * 60 * minute],
  ["h", 60 * minute],
  ["min", minute],
] as const;

/** `3 h ago`, `in 2 d`, `now`: how far a time lies from now, in whole units; a dash where there is none. */
export function formatAge(time: number | null, now: number = Date.now()): string {
  if (time === null) return "–";
  const distance = Math.abs(now - time);
  const [unit, length] = ageUnits.find(([, length]) => distance >= length) ?? [];
  if (unit === undefined || length === undefined) return "now";
  const amount = `${Math.floor(distance / length)} ${unit}`;
  return time > now ? `in ${amount}` : `${amount} ago`;
}

/** `1 page`, `2 pages`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
