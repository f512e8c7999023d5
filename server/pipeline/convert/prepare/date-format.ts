import { type FormatLocale, formatLocale } from "./lcid.ts";

/** A number format for localised dates, which uses the names, eras, calendar or digits of a language. */
export interface DateFormat {
  /** Returns a cell's text. `serial` is the number of days since the start of 1900 or 1904, 0 or more. */
  format(serial: number, is1904: boolean): string;
}

const token =
  /\[\$[^\]-]*-([0-9A-Fa-f]+)[^\]]*\]|\[[^\]]*\]|"([^"]*)"|\\([^])|_[^]|\*[^]|AM\/PM|A\/P|上午\/下午|\.0+|y+|m+|d+|h+|s+|g+|e+|b+|a{3,}|[^]/gi;

/** Maximum UTF-16 units; Excel allows 255. */
const maxCode = 1_000;

interface Piece {
  /** A letter of the code, or empty for literal text. */
  readonly letter: string;
  readonly text: string;
}

/** Reads a number format (ECMA-376 Part 1, 18.8.31). Undefined unless it is a date format that converters do not support. */
export function readDateFormat(code: string): DateFormat | undefined {
  if (code.length > maxCode) return undefined;
  let locale: FormatLocale | undefined;
  const pieces: Piece[] = [];
  for (const { 0: text, 1: language, 2: quoted, 3: escaped } of firstSection(code).matchAll(token)) {
    const letter = text[0]?.toLowerCase() ?? "";
    if (language !== undefined) locale ??= formatLocale(language);
    else if (text.startsWith("[")) {
      // Elapsed time and conditions are not supported here; colours are ignored.
      if (/^\[([hms]+|[<>=].*)\]$/i.test(text)) return undefined;
    } else if (quoted !== undefined || escaped !== undefined)
      pieces.push({ letter: "", text: quoted ?? escaped ?? "" });
    else if (text.startsWith("_")) pieces.push({ letter: "", text: " " });
    else if (text.startsWith("*")) continue;
    else if (/^(AM\/PM|A\/P|上午\/下午)$/i.test(text)) pieces.push({ letter: "p", text });
    else if (/^(y|m|d|h|s|g|e|b|aaa)/i.test(text)) pieces.push({ letter, text });
    // A format for numbers or text.
    else if (/[0#?@%]/.test(text)) return undefined;
    else pieces.push({ letter: "", text });
  }
  const found = locale;
  const isOther = found !== undefined && (found.calendar !== "gregory" || found.digits !== "latn");
  if (found === undefined || !(isOther || pieces.some(needsNames))) return undefined;
  return { format: (serial, is1904) => written(withMinutes(pieces), found, momentOf(serial, is1904)) };
}

const firstSection = (code: string): string => /^(?:"[^"]*"|\\[^]|\[[^\]]*\]|[^;])*/.exec(code)?.[0] ?? "";

const needsNames = ({ letter, text }: Piece): boolean =>
  ((letter === "m" || letter === "d") && text.length > 2) || letter === "g" || letter === "e" || letter === "a";

/** Marks each `m` after hours or before seconds as minutes. */
function withMinutes(pieces: readonly Piece[]): readonly Piece[] {
  const letters = pieces.filter(({ letter }) => letter !== "");
  return pieces.map((piece) => {
    if (piece.letter !== "m" || piece.text.length > 2) return piece;
    const at = letters.indexOf(piece);
    const isTime = letters[at - 1]?.letter === "h" || letters[at + 1]?.letter === "s";
    return isTime ? { ...piece, letter: "n" } : piece;
  });
}

const dayMs = 86_400_000;

/** Converts a serial number to UTC. The 1900 system counts a 29 February 1900, day 60, which never existed. */
function momentOf(serial: number, is1904: boolean): Date {
  const days = is1904 ? serial + 1_462 : serial < 60 ? serial + 1 : serial;
  return new Date(Date.UTC(1899, 11, 30) + Math.round((days * dayMs) / 1_000) * 1_000);
}

function written(pieces: readonly Piece[], locale: FormatLocale, moment: Date): string {
  const isHalfDay = pieces.some(({ letter }) => letter === "p");
  const date = calendarDate(moment, locale);
  const hours = moment.getUTCHours();
  const name = (options: Intl.DateTimeFormatOptions): string => nameIn(locale, options, moment);
  const number = (value: number, length: number): string =>
    digitsIn(locale, String(value).padStart(Math.min(2, length), "0"));
  const text = ({ letter, text: code }: Piece): string => {
    const { length } = code;
    switch (letter) {
      case "y":
        return length <= 2 ? number(date.year % 100, 2) : digitsIn(locale, String(date.year).padStart(4, "0"));
      case "b":
        return length <= 2
          ? number((moment.getUTCFullYear() + 543) % 100, 2)
          : number(moment.getUTCFullYear() + 543, 2);
      case "m":
        if (length <= 2) return number(date.month, length);
        return length === 5 ? name({ month: "long" }).slice(0, 1) : name({ month: length === 3 ? "short" : "long" });
      case "d":
        return length <= 2 ? number(date.day, length) : name({ weekday: length === 3 ? "short" : "long" });
      case "a":
        return name({ weekday: length === 3 ? "short" : "long" });
      case "g":
        return eraOf(moment, locale, length);
      case "e":
        return number(eraDate(moment, locale).year, length);
      case "h":
        return number(isHalfDay ? hours % 12 || 12 : hours, length);
      case "n":
        return number(moment.getUTCMinutes(), length);
      case "s":
        return number(moment.getUTCSeconds(), length);
      case "p":
        return code.split("/")[hours < 12 ? 0 : 1] ?? "";
      default:
        return code;
    }
  };
  return pieces.map(text).join("");
}

/** Formats by language and options, cached because creating one takes a hundred times as long as using it. There are few. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
  formats.set(key, format);
  return format;
}

const numeric = { year: "numeric", month: "numeric", day: "numeric" } as const;

function calendarDate(moment: Date, { calendar }: Pick<FormatLocale, "calendar">) {
  const parts = formatOf(`en-u-ca-${calendar}`, numeric).formatToParts(moment);
  const part = (type: string): number =>
    Number.parseInt(parts.find((each) => each.type === type)?.value ?? "", 10) || 0;
  // The months of the Hebrew calendar have no numbers.
  return { year: part("year") || part("relatedYear"), month: part("month"), day: part("day") };
}

const nameIn = ({ language, calendar }: FormatLocale, options: Intl.DateTimeFormatOptions, moment: Date): string =>
  formatOf(`${language}-u-ca-${calendar}-nu-latn`, options).format(moment);

const digitsIn = ({ digits }: FormatLocale, text: string): string =>
  digits === "latn" ? text : text.replace(/\d/g, (digit) => digitOf(digits, Number(digit)));

const digitsOfSystems = new Map<string, readonly string[]>();

function digitOf(system: string, digit: number): string {
  let digits = digitsOfSystems.get(system);
  if (digits === undefined) {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
    digits = Array.from({ length: 10 }, (_, value) => format.format(value));
    digitsOfSystems.set(system, digits);
  }
  return digits[digit] ?? "";
}

/** The calendar whose eras a language counts by. */
const eraCalendars: Readonly<Record<string, string>> = { ja: "japanese", "zh-TW": "roc", th: "buddhist" };

const eraDate = (moment: Date, { language }: FormatLocale) =>
  calendarDate(moment, { calendar: eraCalendars[language] ?? "gregory" });

function eraOf(moment: Date, { language }: FormatLocale, length: number): string {
  const calendar = eraCalendars[language];
  if (calendar === undefined) return "";
  const era = length === 1 ? "narrow" : "short";
  const name =
    formatOf(`${language}-u-ca-${calendar}`, { era, year: "numeric" })
      .formatToParts(moment)
      .find(({ type }) => type === "era")?.value ?? "";
  return length === 2 ? name.slice(0, 1) : name;
}
