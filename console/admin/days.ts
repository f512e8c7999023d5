const dayMs = 86_400_000;

/** Returns when a day such as "2026-11-22" begins in the browser's time zone, in milliseconds; undefined if it is not a day. */
export function dayStart(day = ""): number | undefined {
  const at = Date.parse(`${day}T00:00:00`);
  return Number.isNaN(at) ? undefined : at;
}

/** Returns when the next day begins; days of 23 or 25 hours are handled. */
export function dayEnd(day = ""): number | undefined {
  const at = dayStart(day);
  if (at === undefined) return undefined;
  // 36 hours later is always within the next day.
  const next = new Date(at + 1.5 * dayMs);
  return new Date(next.getFullYear(), next.getMonth(), next.getDate()).getTime();
}

/** Returns `count` days (UTC) up to `last`, oldest first, such as "2026-11-22". */
export function daysUpTo(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}
