const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** "4.7 MB": three digits at most, in steps of 1,000 as files are shown. */
export function sizeText(bytes: number, language: string): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = units[step] ?? "byte";
  const options = { style: "unit", unit, unitDisplay: "short", maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(language, options).format(bytes / 1000 ** step);
}

export const countText = (count: number, language: string): string => new Intl.NumberFormat(language).format(count);

/** "2 min": of what is left, in its largest unit. */
export function durationText(ms: number, language: string): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [amount, unit] =
    seconds < 90
      ? ([seconds, "second"] as const)
      : seconds < 5_400
        ? ([Math.round(seconds / 60), "minute"] as const)
        : ([Math.round(seconds / 3_600), "hour"] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(amount);
}
