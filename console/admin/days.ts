const dayMs = 86_400_000;

/** When a day begins where the browser is, milliseconds since the epoch. `day`: "2026-11-22"; undefined where it is none. */
export function dayStart(day = ""): number | undefined {
  const at = Date.parse(`${day}T00:00:00`);
  return Number.isNaN(at) ? undefined : at;
}

/** When the day after it begins. Days of 23 and 25 hours end where they do. */
export function dayEnd(day = ""): number | undefined {
  const at = dayStart(day);
  if (at === undefined) return undefined;
  // Noon of the next day, whatever its hours, is in it.
  const next = new Date(at + 1.5 * dayMs);
  return new Date(next.getFullYear(), next.getMonth(), next.getDate()).getTime();
}

/** So many days, the oldest first, up to the last one: "2026-11-22", UTC. */
export function daysUpTo(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}
