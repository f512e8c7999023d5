import { type Language, useLanguage } from "../texts/texts.tsx";

/** Formats numbers, sizes and times in a language. */
export interface Formats {
  /** `at`: milliseconds since the epoch. */
  readonly time: (at: number) => string;
  readonly day: (at: number) => string;
  /** `day`: such as "2026-11-22", UTC. */
  readonly date: (day: string) => string;
  readonly clock: (at: number) => string;
  /** `month`: such as "2026-11". */
  readonly month: (month: string) => string;
  readonly count: (value: number) => string;
  /** Such as "4.72 MB": at most three digits, in powers of 1,000. */
  readonly bytes: (bytes: number) => string;
  /** Whole numbers of the largest unit that fits, such as "3 min". */
  readonly duration: (ms: number) => string;
  /** A fraction in whole percent; "<1 %" for smaller values above 0. */
  readonly percent: (fraction: number) => string;
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;
const durations = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

export function formatsOf(language: string): Formats {
  const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const clocks = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const months = new Intl.DateTimeFormat(language, { month: "short", year: "2-digit", timeZone: "UTC" });
  const counts = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const percents = new Intl.NumberFormat(language, { style: "percent" });
  const inUnit = (value: number, unit: string, unitDisplay: "short" | "long" = "short"): string =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay, maximumSignificantDigits: 3 }).format(value);
  return {
    time: (at) => times.format(at),
    day: (at) => days.format(at),
    date: (day) => dates.format(Date.parse(`${day}T00:00:00Z`)),
    clock: (at) => clocks.format(at),
    month: (month) => months.format(Date.parse(`${month}-01T00:00:00Z`)),
    count: (value) => counts.format(value),
    bytes(bytes) {
      const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), sizes.length - 1);
      return inUnit(bytes / 1000 ** step, sizes[step] ?? "byte", step === 0 ? "long" : "short");
    },
    duration(ms) {
      const [unit, unitMs] = durations.find(([, size]) => ms >= size) ?? (["second", 1_000] as const);
      return inUnit(Math.floor(ms / unitMs), unit);
    },
    percent: (fraction) => (fraction > 0 && fraction < 0.01 ? `<${percents.format(0.01)}` : percents.format(fraction)),
  };
}

/** Returns the regional variant of a language that the browser prefers, such as "en-GB": date formats differ by country. */
export const regionOf = (language: string, ofBrowser: readonly string[]): string =>
  ofBrowser.find((tag) => tag.split("-", 1)[0] === language) ?? language;

/** Cached, because creating formats takes longer than rendering a row of a list. */
const made = new Map<Language, Formats>();

export function useFormats(): Formats {
  const language = useLanguage();
  const formats = made.get(language) ?? formatsOf(regionOf(language, navigator.languages));
  made.set(language, formats);
  return formats;
}
