import type { Snippet } from "@drs/client";

/** A stretch of a snippet. */
interface SnippetPart {
  readonly text: string;
  /** It has words of the question. */
  readonly isMarked: boolean;
}

/** Characters before the first word of the question: a line of a narrow card. */
const leadCharacters = 36;

/** A snippet in stretches, from shortly before the first word of the question on, so that the first lines have it. */
export function snippetParts({ text, marks }: Snippet): readonly SnippetPart[] {
  const from = beginning(text, marks[0]?.start ?? 0);
  const parts: SnippetPart[] = from === 0 ? [] : [{ text: "…", isMarked: false }];
  let at = from;
  for (const { start, length } of marks) {
    parts.push(
      { text: text.slice(at, start), isMarked: false },
      { text: text.slice(start, start + length), isMarked: true },
    );
    at = start + length;
  }
  parts.push({ text: text.slice(at), isMarked: false });
  return parts.filter((part) => part.text !== "");
}

/** The beginning of a word within reach of the place, or the place itself in scripts without spaces. */
function beginning(text: string, place: number): number {
  if (place <= leadCharacters) return 0;
  const space = text.indexOf(" ", place - leadCharacters);
  return space === -1 || space >= place ? place : space + 1;
}
