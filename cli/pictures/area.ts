import type { Canvas } from "./canvas.ts";
import type { CellArea } from "./fit.ts";

/** Columns left free beside a picture, which is shown below the name of its page. */
export const indent = 11;
/** Pictures that were not requested take no more than this part of the screen in total. */
const unaskedShare = 2 / 3;
const maxUnasked = 3;
/** On screens with fewer rows, pictures are shown only if requested. */
const minScreenRows = 20;
/** Minimum rows in which pages can be told apart; half blocks have only two pixels per row. */
const minRows = { kitty: 10, iterm: 10, sixel: 10, blocks: 14 } as const;
/** Maximum rows; more show no more of a page. */
const maxRows = 34;
/** Rows of the screen for the line that names the page and the one after the picture. */
const otherRows = 3;

/** Returns how many pages are shown without being requested, and how large, so that the ranking remains visible. */
export function unaskedArea(
  { format, screen }: Canvas,
  pages: number,
): { readonly count: number; readonly area: CellArea } {
  const rows = Math.floor(screen.rows * unaskedShare);
  const min = minRows[format];
  const count = screen.rows < minScreenRows ? 0 : Math.min(maxUnasked, pages, Math.floor(rows / min));
  return {
    count,
    area: { columns: columnsOf(screen), rows: Math.min(maxRows, Math.floor(rows / Math.max(1, count))) },
  };
}

/** Returns the size of a requested picture, which fits the screen. */
export function askedArea({ screen }: Canvas): CellArea {
  return { columns: columnsOf(screen), rows: Math.max(1, Math.min(maxRows, screen.rows - otherRows)) };
}

function columnsOf({ columns }: CellArea): number {
  return Math.max(1, columns - indent - 1);
}
