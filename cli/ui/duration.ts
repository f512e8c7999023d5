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
