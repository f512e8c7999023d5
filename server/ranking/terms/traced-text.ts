/** What a text and one that is traced can be rewritten by, so that one function does it for both. */
export interface Rewritable<Self> {
  /** Of patterns with the flag `g`; what takes the place of a match is taken as it is. */
  replace(pattern: RegExp, by: string): Self;
  replace(pattern: RegExp, by: (match: string, ...groups: string[]) => string): Self;
  normalize(form: "NFC" | "NFKC"): Self;
  toWellFormed(): Self;
  trim(): Self;
}

/** A part of a text, in units of UTF-16. */
export interface Stretch {
  readonly from: number;
  /** Behind the last unit. */
  readonly to: number;
}

/** A text as it has become by being rewritten, which tells what each part of it was in the first text. */
export class TracedText implements Rewritable<TracedText> {
  readonly text: string;
  /** By unit, what it was in the first text; undefined: itself. */
  readonly #origins: readonly Stretch[] | undefined;

  constructor(text: string, origins?: readonly Stretch[]) {
    this.text = text;
    this.#origins = origins;
  }

  /** What a part of the text, which has at least one unit, was in the first text. */
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

  /** With other texts in the place of parts, which are in order. All that stands for a part was all of it. */
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
 * Ways to divide a text so that normalisation does not join what is divided: most finely, where a few characters join others across
 * graphemes, and where spaces are.
 */
const segmentations: readonly ((text: string) => Iterable<{ readonly segment: string; readonly index: number }>)[] = [
  (text) => graphemes.segment(text),
  (text) => text.matchAll(/\s+|\S+/g).map(({ 0: segment, index }) => ({ segment, index })),
];
