import { describe, expect, test } from "vitest";
import type { Glyph } from "./glyph.ts";
import { readLayout } from "./layout.ts";

interface Setting {
  readonly x?: number;
  readonly y?: number;
  /** Degrees, from left to right counterclockwise. */
  readonly angle?: number;
  /** Ems between letters. */
  readonly apart?: number;
}

const size = 10;
const width = 5;

/** Letters half an em wide, from left to right. */
function line(text: string, { x = 0, y = 0, angle = 0, apart = 0 }: Setting = {}): Glyph[] {
  const [dx, dy] = [Math.round(Math.cos((angle * Math.PI) / 180)), Math.round(Math.sin((angle * Math.PI) / 180))];
  return Array.from(text, (sign, index) => {
    const far = index * (width + apart * size);
    return { text: sign, x: x + far * dx, y: y + far * dy, dx, dy, advance: width, size };
  });
}

/** The same from right to left, in reading order; `x` is the right end. */
const fromRight = (text: string, { x = 0, y = 0 }: Setting = {}): Glyph[] =>
  Array.from(text, (sign, index) => ({
    text: sign,
    x: x - (index + 1) * width,
    y,
    dx: 1,
    dy: 0,
    advance: width,
    size,
  }));

const sign = (text: string, x: number, y: number): Glyph => ({ text, x, y, dx: 1, dy: 0, advance: size, size });
const read = (...glyphs: readonly Glyph[]): string => readLayout(glyphs).text;

describe("words", () => {
  test("end at gaps that are hardly wider than kerning", () => {
    const words = ["and", "the", "fog"].flatMap((word, index) => line(word, { x: index * (3 * width + 1.1) }));
    expect(read(...words)).toBe("and the fog");
    expect(read(...line("the", { apart: 0.06 }))).toBe("the");
  });

  test("are told by spaces that are written, however narrow", () => {
    expect(read(...line("and", { x: 0 }), ...line(" the", { x: 15 }))).toBe("and the");
    const space: Glyph = { ...sign(" ", 15, 0), advance: 0.2 };
    expect(read(...line("and"), space, ...line("the", { x: 15.2 }))).toBe("and the");
  });

  test.each([0.2, 0.35, 0.5])("are one word where letters are set %f em apart", (apart) => {
    const step = width + apart * size;
    const second = line("backlog", { x: 11 * step + 6, apart });
    expect(read(...line("maintenance", { apart }), ...second)).toBe("maintenance backlog");
  });

  test("go on behind marks that have a width", () => {
    expect(read(...line("ท\u0e4dางาน"))).toBe("ท\u0e4dางาน");
  });

  test("are one word where letters are set apart by spaces", () => {
    expect(read(...line("M A I N T E N A N C E   B A C K L O G"))).toBe("MAINTENANCE BACKLOG");
    expect(read(...line("dies ist w i c h t i g und neu"))).toBe("dies ist wichtig und neu");
    expect(read(...line("a b 1 2 3 4 5"))).toBe("a b 1 2 3 4 5");
  });

  test("are apart where letters head the columns of a table", () => {
    expect(read(...["A", "B", "C", "D", "E"].flatMap((letter, index) => line(letter, { x: 20 * index })))).toBe(
      "A B C D E",
    );
  });
});

describe("a line", () => {
  test("has letters where they stand that were drawn after it", () => {
    const main = [...line("Ng"), ...line("n h", { x: 15 }), ...line("i", { x: 35 })];
    expect(read(...main, ...line("next", { y: -12 }), ...line("ọ", { x: 10 }), ...line("ả", { x: 30 }))).toBe(
      "Ngọn hải\nnext",
    );
  });

  test("has signs that stand lower or higher, be it at its end", () => {
    const two: Glyph = { ...sign("2", 10, -2), size: 6, advance: 3 };
    expect(read(...line("CO"), ...line("rises", { x: 17 }), ...line("next", { y: -12 }), two)).toBe("CO2 rises\nnext");
  });

  test("goes on where a word was divided at its end", () => {
    const divided = { ...sign("\ufffe", 20, 0), advance: 3 };
    expect(read(...line("docu"), divided, ...line("ment", { y: -12 }))).toBe("docu\ufffement");
  });

  test("is not mixed with text that is drawn over it", () => {
    expect(read(...line("Shadow"), ...line("Shadow", { x: 0.8, y: -0.8 }))).toBe("Shadow\nShadow");
  });

  test("tells which glyph each unit is of", () => {
    const { text, glyphs } = readLayout([...line("a"), sign("𠀋", 30, 0), sign("ﬁ", 40, 0)]);
    expect(text).toBe("a 𠀋ﬁ");
    expect(glyphs).toEqual([0, -1, 1, 1, 2]);
  });
});

describe("lines", () => {
  test("that are turned are read in their own direction", () => {
    const heads = ["Water level", "Yearly target"].flatMap((head, index) => line(head, { x: 30 * index, angle: 90 }));
    expect(read(...heads, ...line("111", { y: -20 }))).toBe("Water level\nYearly target\n111");
    expect(read(...line("first", { x: 50, angle: -90 }), ...line("second", { x: 38, angle: -90 }))).toBe(
      "first\nsecond",
    );
    expect(read(...line("first", { angle: 180 }), ...line("second", { y: 12, angle: 180 }))).toBe("first\nsecond");
  });

  test("that were drawn from the last to the first are read from the first", () => {
    const lines = ["First line here", "Second line here", "Third line here"];
    expect(read(...lines.toReversed().flatMap((text, index) => line(text, { y: 12 * index })))).toBe(lines.join("\n"));
  });

  test("that are added are put behind their labels, or before what stands under them", () => {
    const form = [...line("Name of the vessel:"), ...line("Home port:", { y: -20 }), ...line("Date", { y: -60 })];
    const values = [
      ...line("Stornoway", { x: 150, y: -20 }),
      ...line("Kittiwake", { x: 150, y: 0 }),
      ...line("Overruled", { x: 5, y: -40 }),
    ].map((glyph) => ({ ...glyph, isAdded: true }));
    expect(read(...form, ...values)).toBe("Name of the vessel: Kittiwake\nHome port: Stornoway\nOverruled\nDate");
  });

  test("of two columns drawn row by row are read column by column", () => {
    const left = ["The weather station on", "the ridge was built in", "granite by two brothers"];
    const right = ["Its barometer works", "and is read at dawn", "by the daughter."];
    const rows = left.flatMap((text, at) => [
      ...line(text, { y: -12 * at }),
      ...line(right[at] ?? "", { x: 150, y: -12 * at }),
    ]);
    expect(read(...rows)).toBe([...left, ...right].join("\n"));
  });

  test("of a table are read row by row", () => {
    const rows = ["Brass screw|of the north gate|12", "Oak plank|of the weir|7", "Iron ring|of the quay|110"];
    const glyphs = rows.flatMap((row, at) =>
      row.split("|").flatMap((cell, column) => line(cell, { x: 120 * column, y: -12 * at })),
    );
    expect(read(...glyphs)).toBe(rows.join("\n").replaceAll("|", " "));
  });
});

describe("signs that are written from top to bottom", () => {
  const columns = ["港の灯台は", "漁師たちは", "春の回遊魚"];
  const at = (column: number, row: number): Glyph =>
    sign(Array.from(columns[column] ?? "")[row] ?? "", 80 - 28 * column, 700 - 11 * row);
  const numbers = [0, 1, 2, 3, 4];

  test("are read by columns from the right, in whatever order they were drawn", () => {
    const byColumn = [2, 1, 0].flatMap((column) => numbers.map((row) => at(column, row)));
    const byRow = numbers.flatMap((row) => [2, 1, 0].map((column) => at(column, row)));
    expect(read(...byColumn)).toBe(columns.join("\n"));
    expect(read(...byRow)).toBe(columns.join("\n"));
  });

  test("are told from rows of signs set wide", () => {
    const rows = columns.flatMap((row, index) => Array.from(row, (text, place) => sign(text, 12 * place, -14 * index)));
    expect(read(...rows).replaceAll(" ", "")).toBe(columns.join("\n"));
  });
});

describe("text from right to left", () => {
  test("stays in its order, numbers and words of other scripts within", () => {
    const glyphs = [...fromRight("שלום ", { x: 100 }), ...line("2024 ab", { x: 40 }), ...fromRight(" טוב", { x: 40 })];
    expect(read(...glyphs)).toBe("שלום 2024 ab טוב");
  });

  test.each(["١٢٣", "۱۲۳"])("has the digits of its own numbers from left to right: %s", (number) => {
    expect(read(...line(number))).toBe(number);
    expect(read(...fromRight("صفحة ", { x: 100 }), ...line(number, { x: 60 }))).toBe(`صفحة ${number}`);
  });

  test("has its words in order however they were drawn", () => {
    expect(read(...fromRight("טוב", { x: 77 }), ...fromRight("שלום", { x: 100 }))).toBe("שלום טוב");
  });

  test("has points by their letters that were drawn before or after them", () => {
    const letters = fromRight("המגד", { x: 100 });
    const point = (text: string, x: number): Glyph => ({ ...sign(text, x, 0), advance: 1 });
    expect(read(point("ִ", 92), ...letters, point("ַ", 97), point("ָ", 82)).normalize("NFC")).toBe("הַמִגדָ");
  });
});

test("a page of overlapping glyphs is read", () => {
  const glyphs = Array.from({ length: 30_000 }, (_, index) => sign(index % 2 === 0 ? "a" : "ִ", index % 7, index % 3));
  expect(readLayout(glyphs).text.replace(/\s/g, "")).toHaveLength(30_000);
});

describe("a page with more letters than any real one", () => {
  const many = 120_000;
  test.each([
    ["all apart on one line", (at: number) => ({ x: at * 0.8 * size, y: 0 })],
    ["all in one place", () => ({ x: 0, y: 0 })],
    ["in columns without end", (at: number) => ({ x: (at % 3_000) * 12 * width, y: -Math.floor(at / 3_000) * size })],
  ])("is read, %s", (_, place) => {
    const glyphs = Array.from({ length: many }, (_unused, at) => ({
      ...sign("a", 0, 0),
      ...place(at),
      advance: width,
    }));
    const { text, glyphs: sources } = readLayout(glyphs);
    expect(text.match(/a/g)).toHaveLength(many);
    expect(new Set(sources.filter((source) => source >= 0)).size).toBe(many);
    expect(sources).toHaveLength(text.length);
  });
});
