import type { Snippet } from "@drs/client";
import { printable, stringWidth } from "../output/printable.ts";
import type { Style } from "../terminal/style.ts";

/** A range of the text, in UTF-16 code units. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Maximum lines of a snippet; more would push the next pages off the screen. */
const maxLines = 3;

/**
 * Returns the snippet in lines no wider than `room` columns, with its marks in bold and at most `maxLines` around the
 * first of them; one line if `room` is undefined.
 */
export function snippetLines({ text, marks }: Snippet, style: Style, room: number | undefined): string[] {
  // The replacement keeps the length, so the marks stay in place.
  const shown = printable(text);
  const lines = room === undefined ? [{ start: 0, end: shown.length }] : wrapped(shown, room);
  const marked = marks.map(({ start, length }) => ({ start, end: start + length }));
  const first = Math.max(
    0,
    lines.findIndex(({ end }) => end > (marked[0]?.start ?? 0)),
  );
  const from = Math.max(0, Math.min(first - 1, lines.length - maxLines));
  return lines.slice(from, from + maxLines).map((line) => painted(shown, line, marked, style));
}

/** Breaks a text between words, and within words that are wider than a line, as in scripts without spaces. */
function wrapped(text: string, room: number): Stretch[] {
  const lines: Stretch[] = [];
  let start = 0;
  let end = 0;
  const finish = (next: number): void => {
    if (end > start) lines.push({ start, end });
    start = next;
    end = next;
  };
  const add = (from: number, to: number): void => {
    if (stringWidth(text.slice(start, to)) > room) finish(from);
    end = to;
  };
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    if (stringWidth(word) <= room) {
      add(index, index + word.length);
      continue;
    }
    let at = index;
    for (const character of word) {
      add(at, at + character.length);
      at += character.length;
    }
  }
  finish(text.length);
  return lines;
}

function painted(text: string, line: Stretch, marks: readonly Stretch[], { bold }: Style): string {
  let out = "";
  let at = line.start;
  for (const mark of marks) {
    const from = Math.max(at, mark.start);
    const to = Math.min(line.end, mark.end);
    if (from >= to) continue;
    out += text.slice(at, from) + bold(text.slice(from, to));
    at = to;
  }
  return out + text.slice(at, line.end);
}
