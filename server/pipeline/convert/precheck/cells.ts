import { DocumentError } from "../../errors.ts";

/** The largest sheet of Excel, ECMA-376 Part 1, 18.3.1.73 and 18.3.1.13. */
const maxRows = 1_048_576;
const maxColumns = 16_384;

/** Row and column of a cell as `XFD1048576`, from 1; both 0 where the text is no cell. */
export function placeOf(cell: string): { readonly row: number; readonly column: number } {
  const [, letters = "", digits = ""] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(cell) ?? [];
  // A is 1.
  const column = Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  const row = Number(digits);
  return row > maxRows || column > maxColumns ? { row: 0, column: 0 } : { row, column };
}

/** `XFD1048576` for row 1,048,576 and column 16,384. */
export function cellAt(row: number, column: number): string {
  let letters = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return `${letters}${row}`;
}

/** Cells of the rectangle for each one that is there: a sheet that has one far off takes its converter so long. */
const farShare = 1_000;

interface Reach {
  readonly lastRow: number;
  readonly lastColumn: number;
  readonly cells: number;
}

/** Whether single cells of a workbook lie far off. */
export const reachesFar = ({ lastRow, lastColumn, cells }: Reach): boolean => lastRow * lastColumn > cells * farShare;

/**
 * A conversion's failure in words that fit: a spreadsheet that is too much for its converter because single cells lie far
 * off is not helped by being split. Other failures stay as they are.
 */
export function fittingFailure(cause: unknown, reach: Reach): unknown {
  if (!(cause instanceof DocumentError) || cause.fault !== "too-heavy" || !reachesFar(reach)) return cause;
  const { lastRow, lastColumn } = reach;
  return new DocumentError(
    "too-heavy",
    `a sheet reaches to the cell ${cellAt(lastRow, lastColumn)}, far from its other cells, and so many pages cannot be laid out; ` +
      "delete the rows and columns that are not needed (Ctrl+End leads to the last cell) or set a print area, save it and upload it again",
    { cause },
  );
}
