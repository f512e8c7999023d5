import { split } from "./split.ts";

/** Neighbouring words of a question, separately and joined to one word. */
export interface JoinedNeighbours {
  readonly joined: string;
  readonly words: readonly string[];
}

/** Maximum number of words that are joined with those after them; a question is rarely longer. */
const maxFirst = 32;
const counts = [2, 3];

/** Joins two or three neighbouring words, as file names do: "otter report" finds `otterreport.pdf`. */
export function joinedNeighbours(text: string): readonly JoinedNeighbours[] {
  const words = split(text).words.map(({ folded }) => folded);
  return words.slice(0, maxFirst).flatMap((_, at) =>
    counts
      .map((count) => words.slice(at, at + count))
      .filter((some, place) => some.length === counts[place] && some.every((word) => /^\p{L}{3,}$/u.test(word)))
      .map((some) => ({ joined: some.join(""), words: some })),
  );
}
