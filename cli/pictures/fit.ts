import type { CellSize } from "../terminal/ask.ts";

/** An area of a terminal, in cells. */
export interface CellArea {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the cells of a picture that is as large as the area allows; its aspect ratio stays. */
export function fitArea(picture: CellSize, cell: CellSize, area: CellArea): CellArea {
  // Rows per column: pictures have more columns than rows, because cells are taller than wide.
  const shape = ((picture.height / picture.width) * cell.width) / cell.height;
  const columns = Math.min(area.columns, area.rows / shape);
  return { columns: atLeastOne(columns), rows: atLeastOne(Math.min(area.rows, columns * shape)) };
}

function atLeastOne(cells: number): number {
  return Math.max(1, Math.round(cells));
}
