import type { Canvas } from "./canvas.ts";
import type { CellArea } from "./fit.ts";

/** Columns left free beside a picture: it stands below the name of its page. */
export const indent = 11;
/** Pictures that were not asked for take no more than this part of a screen, all together. */
const unaskedShare = 2 / 3;
const maxUnasked = 3;
/** Screens of fewer rows get pictures only when they are asked for. */
const minScreenRows = 20;
/** Rows below which a page cannot be told from another; half blocks have only two pixels in each. */
const minRows = { kitty: 10, iterm: 10, sixel: 10, blocks: 14 } as const;
/** More shows no more of a page. Rows. */
const maxRows = 34;
/** Of the screen, for the line that names the page and the one after the picture. Rows. */
const otherRows = 3;

/** How many of so many pages are shown unasked, and how large each may be: the answer stays an answer. */
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

/** How large a picture may be that was asked for: it fits the screen. */
export function askedArea({ screen }: Canvas): CellArea {
  return { columns: columnsOf(screen), rows: Math.max(1, Math.min(maxRows, screen.rows - otherRows)) };
}

function columnsOf({ columns }: CellArea): number {
  return Math.max(1, columns - indent - 1);
}
