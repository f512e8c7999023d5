import type { Highlight } from "../domain/items/item.ts";
import type { FoundWords } from "../ranking/terms/find-words.ts";
import type { CharacterBox } from "./engines/engine.ts";
import { unprocessable } from "../domain/errors.ts";
import type { HighlightedPage } from "../domain/ports/worker.ts";
import { type DocumentSources, openPdf } from "./document-pdf.ts";
import { DocumentError, PageError } from "./errors.ts";
import type { PagePool } from "./threads/pool.ts";

interface Options extends DocumentSources {
  readonly pool: Pick<PagePool, "highlightPage">;
}

/** Finds the positions of words on pages, without caching. Throws `unprocessable` with the reason if a page cannot be read. */
export function createHighlighter(
  options: Options,
): (page: HighlightedPage, signal?: AbortSignal) => Promise<readonly Highlight[]> {
  return async ({ datasetId, page, words }, signal) => {
    const pdf = await openPdf(options, datasetId);
    try {
      return await options.pool.highlightPage({ file: pdf.path, page, words }, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof PageError || cause instanceof DocumentError) {
        throw unprocessable(`the words of page ${page} cannot be found: ${cause.message}`);
      }
      throw cause;
    } finally {
      await pdf.release();
    }
  };
}

/** Maximum highlights of a page; more would cover it. */
const maxHighlights = 50;

/**
 * Returns the boxes of the words, in descending order of weight; a word that continues on the next line has a box on each line.
 */
export function highlightsOf(
  text: string,
  found: readonly FoundWords[],
  boxes: ReadonlyMap<number, CharacterBox>,
): readonly Highlight[] {
  return found
    .flatMap((words) => linesOf(words, boxes).map((line) => ({ weight: words.weight, ...line })))
    .toSorted((one, other) => other.weight - one.weight || one.from - other.from)
    .flatMap(({ from, to, box }) => {
      const inside = clipped(box);
      return inside === undefined ? [] : [{ ...inside, text: shown(text.slice(from, to)) }];
    })
    .slice(0, maxHighlights);
}

interface Line {
  readonly from: number;
  to: number;
  box: CharacterBox;
}

function linesOf({ from, to }: FoundWords, boxes: ReadonlyMap<number, CharacterBox>): readonly Line[] {
  const lines: Line[] = [];
  for (let at = from; at < to; at++) {
    const box = boxes.get(at);
    if (box === undefined) continue;
    const line = lines.at(-1);
    if (line !== undefined && isSameLine(line.box, box)) {
      line.box = around(line.box, box);
      line.to = at + 1;
    } else lines.push({ from: at, to: at + 1, box });
  }
  return lines;
}

/**
 * Whether a character belongs to a line, which may also be vertical: it overlaps the line across its direction and is near it
 * along its direction.
 */
function isSameLine(line: CharacterBox, next: CharacterBox): boolean {
  const size = widthOf(next) + heightOf(next);
  const beside = overlap([line.top, line.bottom], [next.top, next.bottom]);
  if (beside > 0.5) return gap([line.left, line.right], [next.left, next.right]) < size;
  const below = overlap([line.left, line.right], [next.left, next.right]);
  const isOneWide = widthOf(line) < 1.5 * widthOf(next);
  return below > 0.5 && isOneWide && gap([line.top, line.bottom], [next.top, next.bottom]) < size;
}

type Stretch = readonly [from: number, to: number];

const widthOf = ({ left, right }: CharacterBox): number => right - left;
const heightOf = ({ top, bottom }: CharacterBox): number => bottom - top;
const gap = (one: Stretch, other: Stretch): number => Math.max(one[0] - other[1], other[0] - one[1]);

/** Returns the share of the shorter stretch that lies in the other. */
function overlap(one: Stretch, other: Stretch): number {
  const shorter = Math.min(one[1] - one[0], other[1] - other[0]);
  return shorter <= 0 ? 0 : -gap(one, other) / shorter;
}

const around = (one: CharacterBox, other: CharacterBox): CharacterBox => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

/** Returns the part of a box that is on the page; undefined if there is none. */
function clipped({ left, top, right, bottom }: CharacterBox): Omit<Highlight, "text"> | undefined {
  const [x, y] = [Math.max(0, left), Math.max(0, top)];
  const [width, height] = [Math.min(1, right) - x, Math.min(1, bottom) - y];
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

const shown = (text: string): string =>
  text
    .replace(/[\u00ad\ufffe]\s*/gu, "")
    .normalize("NFKC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
