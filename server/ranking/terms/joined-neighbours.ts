import { split } from "./split.ts";

/** Neighbouring words of a question, and them as one word. */
export interface JoinedNeighbours {
  readonly joined: string;
  readonly words: readonly string[];
}

/** Words from the beginning that are joined with those after them; a question is rarely longer. */
const maxFirst = 32;
const counts = [2, 3];

/** Two or three neighbours as one word, as names of files have them: `otterreport.pdf` answers to "otter report". */
export function joinedNeighbours(text: string): readonly JoinedNeighbours[] {
  const words = split(text).words.map(({ folded }) => folded);
  return words.slice(0, maxFirst).flatMap((_, at) =>
    counts
      .map((count) => words.slice(at, at + count))
      .filter((some, place) => some.length === counts[place] && some.every((word) => /^\p{L}{3,}$/u.test(word)))
      .map((some) => ({ joined: some.join(""), words: some })),
  );
}
