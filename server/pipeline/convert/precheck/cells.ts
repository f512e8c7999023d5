import { DocumentError } from "../../errors.ts";

/** The largest sheet of Excel, ECMA-376 Part 1, 18.3.1.73 and 18.3.1.13. */
const maxRows = 1_048_576;
const maxColumns = 16_384;

/** Parses the row and column of a cell such as `XFD1048576`, from 1; both are 0 if the text is not a cell. */
export function placeOf(cell: string): { readonly row: number; readonly column: number } {
  const [, letters = "", digits = ""] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(cell) ?? [];
  // A is 1.
  const column = Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  const row = Number(digits);
  return row > maxRows || column > maxColumns ? { row: 0, column: 0 } : { row, column };
}

/** Formats a cell: `XFD1048576` for row 1,048,576 and column 16,384. */
export function cellAt(row: number, column: number): string {
  let letters = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return `${letters}${row}`;
}

/**
 * Maximum ratio of the rectangle's cells to cells with content. Above it, single distant cells make the conversion take very
 * long.
 */
const farShare = 1_000;

interface SheetExtent {
  readonly lastRow: number;
  readonly lastColumn: number;
  readonly cells: number;
}

/** Whether single cells of a workbook are far from the others. */
export const reachesFar = ({ lastRow, lastColumn, cells }: SheetExtent): boolean =>
  lastRow * lastColumn > cells * farShare;

/**
 * Explains the failure of a spreadsheet that is too large because single cells are far from the others, where splitting it
 * would not help. Other failures are returned unchanged.
 */
export function fittingFailure(cause: unknown, extent: SheetExtent): unknown {
  if (!(cause instanceof DocumentError) || cause.fault !== "too-heavy" || !reachesFar(extent)) return cause;
  const { lastRow, lastColumn } = extent;
  return new DocumentError(
    "too-heavy",
    `a sheet reaches to the cell ${cellAt(lastRow, lastColumn)}, far from its other cells, and so many pages cannot be laid out; ` +
      "delete the rows and columns that are not needed (Ctrl+End leads to the last cell) or set a print area, save it and upload it again",
    { cause },
  );
}
