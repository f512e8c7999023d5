/** Languages by the low ten bits of a Windows language identifier ([MS-LCID] 2.2). */
const languages: Readonly<Record<number, string>> = Object.fromEntries(
  (
    "01 ar 02 bg 03 ca 04 zh 05 cs 06 da 07 de 08 el 09 en 0a es 0b fi 0c fr 0d he 0e hu 0f is 10 it 11 ja 12 ko 13 nl 14 nb " +
    "15 pl 16 pt 17 rm 18 ro 19 ru 1a hr 1b sk 1c sq 1d sv 1e th 1f tr 20 ur 21 id 22 uk 23 be 24 sl 25 et 26 lv 27 lt 28 tg " +
    "29 fa 2a vi 2b hy 2c az 2d eu 2e hsb 2f mk 34 xh 35 zu 36 af 37 ka 38 fo 39 hi 3a mt 3b se 3c ga 3e ms 3f kk 40 ky 41 sw " +
    "42 tk 43 uz 44 tt 45 bn 46 pa 47 gu 48 or 49 ta 4a te 4b kn 4c ml 4d as 4e mr 4f sa 50 mn 51 bo 52 cy 53 km 54 lo 55 my " +
    "56 gl 57 kok 5b si 5e am 61 ne 62 fy 63 ps 64 fil 68 ha 6a yo 6e lb 6f kl 70 ig 7e br 84 gsw 85 sah 87 rw 88 wo 91 gd"
  )
    .match(/\w+ \w+/g)
    ?.map((pair) => [Number.parseInt(pair.slice(0, 2), 16), pair.slice(3)]) ?? [],
);

/** Identifiers whose region has other names for months and days than the language. */
const regions: Readonly<Record<number, string>> = {
  0x0404: "zh-TW",
  0x0c04: "zh-HK",
  0x0814: "nn",
  0x0c07: "de-AT",
  0x0816: "pt-PT",
  0x080a: "es-MX",
  0x0c1a: "sr-Cyrl",
  0x081a: "sr-Latn",
  0x281a: "sr-Cyrl",
  0x241a: "sr-Latn",
  0x141a: "bs",
};

const calendars: Readonly<Record<number, string>> = {
  0x03: "japanese",
  0x04: "roc",
  0x06: "islamic-civil",
  0x07: "buddhist",
  0x08: "hebrew",
  0x17: "islamic-umalqura",
};

const digits: Readonly<Record<number, string>> = {
  0x02: "arab",
  0x03: "arabext",
  0x04: "deva",
  0x05: "beng",
  0x06: "guru",
  0x07: "gujr",
  0x08: "orya",
  0x09: "tamldec",
  0x0a: "telu",
  0x0b: "knda",
  0x0c: "mlym",
  0x0d: "thai",
  0x0e: "laoo",
  0x0f: "tibt",
  0x10: "mymr",
  0x12: "khmr",
  0x13: "mong",
};

export interface FormatLocale {
  /** BCP 47. */
  readonly language: string;
  /** A calendar of Unicode; Gregorian by default. */
  readonly calendar: string;
  /** A numbering system of Unicode. */
  readonly digits: string;
}

/**
 * Reads the number in the part `[$-…]` of a number format, in hexadecimal: two digits each for numerals and calendar, four for
 * the language. Undefined if the number is unknown or makes no difference, such as those of the system and of English.
 */
export function formatLocale(code: string): FormatLocale | undefined {
  const value = Number.parseInt(code, 16);
  const id = value & 0xffff;
  const language = regions[id] ?? languages[id & 0x3ff];
  const calendar = calendars[(value >>> 16) & 0xff];
  const numerals = digits[(value >>> 24) & 0x7f];
  if (Number.isNaN(value) || language === undefined) return undefined;
  if (language === "en" && calendar === undefined && numerals === undefined) return undefined;
  return { language, calendar: calendar ?? "gregory", digits: numerals ?? "latn" };
}
