import type { Snippet } from "@drs/client";

/** A part of a snippet. */
interface SnippetPart {
  readonly text: string;
  /** Whether it matches words of the query. */
  readonly isMarked: boolean;
}

/** Characters shown before the first match: one line on a narrow card. */
const leadCharacters = 36;

/** Splits a snippet into parts, starting shortly before the first match, so that the first lines show it. */
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

/** Returns the start of a word shortly before the place, or the place itself in scripts without spaces. */
function beginning(text: string, place: number): number {
  if (place <= leadCharacters) return 0;
  const space = text.indexOf(" ", place - leadCharacters);
  return space === -1 || space >= place ? place : space + 1;
}
