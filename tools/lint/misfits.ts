/** A doc comment whose first sentence has no subject. */
interface Misfit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const beginning = /\/\*\*\s*(?:\*\s*)?(?=(?:What|Of|Those|So many)\b)(?<text>[^\n]*)/gu;

/** Returns the doc comments of a source that begin with What, Of, Those or So many. */
export const misfitsIn = (source: string): readonly Misfit[] =>
  Array.from(source.matchAll(beginning), ({ index, groups }) => ({
    line: source.slice(0, index).split("\n").length,
    text: (groups?.["text"] ?? "").replace(/\s*\*\/\s*$/u, ""),
  }));
