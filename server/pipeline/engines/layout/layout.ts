import { dividedWord } from "../words.ts";
import { type Glyph, type Placed, placed, runsOf } from "./glyph.ts";
import { linesOf } from "./lines.ts";
import { inReadingOrder } from "./order.ts";
import { withColumns } from "./vertical.ts";
import { wordsOf } from "./words.ts";

export interface PageText {
  readonly text: string;
  /** The glyph of each UTF-16 unit; -1 for a space or line break without a glyph. */
  readonly glyphs: readonly number[];
}

/** Maximum glyphs that are ordered together: fifty times those of a full page. */
const maxGlyphs = 50_000;

/**
 * Returns the text of a page in reading order; `glyphs` are in drawing order. A page with more glyphs than any real one is read
 * in parts, in drawing order.
 */
export function readLayout(glyphs: readonly Glyph[]): PageText {
  if (glyphs.length <= maxGlyphs) return readPart(glyphs);
  const texts: string[] = [];
  const sources: number[] = [];
  for (let from = 0; from < glyphs.length; from += maxGlyphs) {
    const part = readPart(glyphs.slice(from, from + maxGlyphs));
    if (from > 0) sources.push(-1);
    texts.push(part.text);
    for (const glyph of part.glyphs) sources.push(glyph < 0 ? glyph : from + glyph);
  }
  return { text: texts.join("\n"), glyphs: sources };
}

function readPart(glyphs: readonly Glyph[]): PageText {
  const rows = inReadingOrder(linesOf(runsOf(withColumns(placed(glyphs)))));
  let text = "";
  const sources: number[] = [];
  const add = (part: string, glyph: number): void => {
    text += part;
    for (let unit = 0; unit < part.length; unit++) sources.push(glyph);
  };
  let last: Placed | undefined;
  for (const row of rows) {
    let isRowStart = true;
    for (const { glyph, isFirst } of wordsOf(row)) {
      // A divided word continues without a line break.
      const continues = last?.text === dividedWord && last.index + 1 === glyph.index;
      if (isRowStart && last !== undefined && !continues) add("\n", -1);
      else if (isFirst) add(" ", -1);
      add(glyph.text, glyph.index);
      isRowStart = false;
      last = glyph;
    }
  }
  return { text, glyphs: sources };
}
