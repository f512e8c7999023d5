/** The methods that strings and traced texts share, so that one function can rewrite both. */
export interface Rewritable<Self> {
  /** Replaces all matches of a pattern with the flag `g`; replacements are taken literally. */
  replace(pattern: RegExp, by: string): Self;
  replace(pattern: RegExp, by: (match: string, ...groups: string[]) => string): Self;
  normalize(form: "NFC" | "NFKC"): Self;
  toWellFormed(): Self;
  trim(): Self;
}

/** A part of a text, in UTF-16 units. */
export interface Stretch {
  readonly from: number;
  /** The end, after the last unit. */
  readonly to: number;
}

/** A rewritten text that maps each of its parts to the original text. */
export class TracedText implements Rewritable<TracedText> {
  readonly text: string;
  /** The place of each unit in the original text; undefined if nothing has been rewritten. */
  readonly #origins: readonly Stretch[] | undefined;

  constructor(text: string, origins?: readonly Stretch[]) {
    this.text = text;
    this.#origins = origins;
  }

  /** Returns the place of a part in the original text. The part must have at least one unit. */
  originOf({ from, to }: Stretch): Stretch {
    return { from: this.#originAt(from).from, to: this.#originAt(to - 1).to };
  }

  #originAt(unit: number): Stretch {
    return this.#origins?.[unit] ?? { from: unit, to: unit + 1 };
  }

  replace(pattern: RegExp, by: string | ((match: string, ...groups: string[]) => string)): TracedText {
    const parts = Array.from(this.text.matchAll(pattern), (found) => {
      const [match, ...groups] = found;
      const text = typeof by === "string" ? by : by(match, ...groups);
      return { from: found.index, to: found.index + match.length, text };
    });
    return this.#with(parts);
  }

  normalize(form: "NFC" | "NFKC"): TracedText {
    const whole = this.text.normalize(form);
    if (whole === this.text) return this;
    for (const segment of segmentations) {
      const normalized = this.#with(
        Array.from(segment(this.text), ({ segment: part, index }) => ({
          from: index,
          to: index + part.length,
          text: part.normalize(form),
        })).filter(({ from, to, text }) => text !== this.text.slice(from, to)),
      );
      if (normalized.text === whole) return normalized;
    }
    return this.#with([{ from: 0, to: this.text.length, text: whole }]);
  }

  toWellFormed(): TracedText {
    return new TracedText(this.text.toWellFormed(), this.#origins);
  }

  trim(): TracedText {
    const from = this.text.length - this.text.trimStart().length;
    const to = this.text.trimEnd().length;
    const ends = [
      { from: 0, to: Math.min(from, to), text: "" },
      { from: to, to: this.text.length, text: "" },
    ];
    return this.#with(ends.filter((end) => end.from < end.to));
  }

  /** Replaces parts, which are given in order. Each unit of a replacement maps to the whole part. */
  #with(parts: readonly (Stretch & { readonly text: string })[]): TracedText {
    if (parts.length === 0) return this;
    const texts: string[] = [];
    const origins: Stretch[] = [];
    let done = 0;
    const keepUntil = (end: number): void => {
      texts.push(this.text.slice(done, end));
      for (; done < end; done++) origins.push(this.#originAt(done));
    };
    for (const { from, to, text } of parts) {
      keepUntil(from);
      const origin = from < to ? this.originOf({ from, to }) : { from: done, to: done };
      texts.push(text);
      for (let unit = 0; unit < text.length; unit++) origins.push(origin);
      done = to;
    }
    keepUntil(this.text.length);
    return new TracedText(texts.join(""), origins);
  }
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Ways to divide a text so that normalisation does not join characters across boundaries: first by graphemes, which is the finest
 * but fails for a few characters, then by spaces.
 */
const segmentations: readonly ((text: string) => Iterable<{ readonly segment: string; readonly index: number }>)[] = [
  (text) => graphemes.segment(text),
  (text) => text.matchAll(/\s+|\S+/g).map(({ 0: segment, index }) => ({ segment, index })),
];
