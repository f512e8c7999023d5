import type { Glyph } from "../layout/glyph.ts";
import { at, type Box, boxThrough, identity, type Matrix, type Point, times } from "../matrix.ts";

/**
 * A glyph that pdf.js draws, with its extent across the baseline: from `low`, which is negative below the baseline, to `high`.
 */
export interface DrawnGlyph extends Glyph {
  readonly low: number;
  readonly high: number;
}

/** The part of the graphics state that positions of text depend on (ISO 32000-1, 9.3). */
interface State {
  readonly transform: Matrix;
  readonly font: Font;
  readonly size: number;
  readonly characterSpacing: number;
  readonly wordSpacing: number;
  readonly scale: number;
  readonly leading: number;
  readonly rise: number;
  /** Whether the operators belong to an annotation. */
  readonly isAdded: boolean;
}

export interface Font {
  readonly isVertical: boolean;
  /** Ems per unit of the font's widths. */
  readonly unit: number;
}

export const plainFont: Font = { isVertical: false, unit: 0.001 };
/** Extent of letters below and above the baseline as shares of the size; vertical writing is centred on the line. */
const [descent, ascent, half] = [0.2, 0.8, 0.5];

const origin: Point = { x: 0, y: 0 };

/** Follows the operators of a page and records its glyphs and pictures. */
export class Pen {
  readonly glyphs: DrawnGlyph[] = [];
  readonly pictures: Box[] = [];
  readonly #fontOf: (name: unknown) => Font;
  readonly #stack: State[] = [];
  #state: State = {
    transform: identity,
    font: plainFont,
    size: 0,
    characterSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    isAdded: false,
  };
  #matrix = identity;
  /** The start of the line, and the position of the next glyph. */
  #line = origin;
  #at = origin;

  constructor(fonts: (name: unknown) => Font) {
    this.#fontOf = fonts;
  }

  set(change: Partial<State>): this {
    this.#state = { ...this.#state, ...change };
    return this;
  }

  save(): this {
    this.#stack.push(this.#state);
    return this;
  }

  restore(): void {
    this.#state = this.#stack.pop() ?? this.#state;
  }

  transform(matrix: Matrix): this {
    return this.set({ transform: times(this.#state.transform, matrix) });
  }

  setFont(name: unknown, size: number): void {
    this.set({ font: this.#fontOf(name), size });
  }

  begin(matrix: Matrix): void {
    this.#matrix = matrix;
    this.#line = origin;
    this.#at = origin;
  }

  moveLine(x: number, y: number): void {
    this.#line = { x: this.#line.x + x, y: this.#line.y + y };
    this.#at = this.#line;
  }

  nextLine(): void {
    this.moveLine(0, -this.#state.leading);
  }

  picture(): void {
    this.pictures.push(boxThrough(this.#state.transform, { left: 0, bottom: 0, right: 1, top: 1 }));
  }

  show(text: unknown): void {
    const { glyphs, end } = shown(text, this.#state, times(this.#state.transform, this.#matrix), this.#at);
    for (const glyph of glyphs) this.glyphs.push(glyph);
    this.#at = end;
  }
}

/**
 * Places the elements of a shown text: glyphs, and numbers, which move the position by thousandths of the font size (ISO 32000-1,
 * 9.4.4).
 */
function shown(
  text: unknown,
  state: State,
  matrix: Matrix,
  from: Point,
): { readonly glyphs: readonly DrawnGlyph[]; readonly end: Point } {
  const { font, size, characterSpacing, wordSpacing, scale, rise, isAdded } = state;
  const parts: readonly unknown[] = Array.isArray(text) ? text : [];
  const glyphs: DrawnGlyph[] = [];
  let { x, y } = from;
  const way = font.isVertical ? ([-matrix[2], -matrix[3]] as const) : ([matrix[0], matrix[1]] as const);
  const stretch = Math.hypot(...way) || 1;
  const sign = size < 0 ? -1 : 1;
  const [dx, dy] = [(sign * way[0]) / stretch, (sign * way[1]) / stretch];
  const em = Math.abs(size) * stretch * (font.isVertical ? 1 : Math.abs(scale));
  const move = (distance: number): void => {
    if (font.isVertical) y -= distance;
    else x += distance * scale;
  };
  for (const part of parts) {
    if (typeof part === "number") {
      move(((font.isVertical ? 1 : -1) * part * size) / 1000);
      continue;
    }
    const glyph = glyphOf(part);
    if (glyph === undefined) continue;
    const advance = (font.isVertical ? glyph.down : glyph.width) * font.unit;
    if (glyph.text !== "") {
      const [left, bottom] = at(matrix, x, y + rise);
      const height = Math.abs(size) * (Math.hypot(matrix[2], matrix[3]) || 1);
      glyphs.push({
        text: glyph.text,
        x: left,
        y: bottom,
        dx: snapped(dx),
        dy: snapped(dy),
        advance: advance * em,
        size: em,
        isAdded,
        low: -(font.isVertical ? half : descent) * height,
        high: (font.isVertical ? half : ascent) * height,
      });
    }
    move(advance * size + characterSpacing + (glyph.isSpace ? wordSpacing : 0));
  }
  return { glyphs, end: { x, y } };
}

/** Reads a glyph of pdf.js's list; `width` and `down` are in units of the font. */
function glyphOf(
  part: unknown,
): { readonly text: string; readonly width: number; readonly down: number; readonly isSpace: boolean } | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { unicode, width, vmetric, isSpace }: Partial<Record<"unicode" | "width" | "vmetric" | "isSpace", unknown>> =
    part;
  const metrics: readonly unknown[] = Array.isArray(vmetric) ? vmetric : [];
  return {
    text: typeof unicode === "string" ? unicode : "",
    width: Number(width) || 0,
    down: -Number(metrics[0] ?? -1000),
    isSpace: isSpace === true,
  };
}

/** Rounds a sine or cosine to a whole number if it is close to one, which stands for an edge of the page. */
const snapped = (value: number): number => (Math.abs(value - Math.round(value)) < 0.0002 ? Math.round(value) : value);
