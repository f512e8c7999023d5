import type { CellSize } from "../terminal/ask.ts";

/** Cells of a terminal. */
export interface CellArea {
  readonly columns: number;
  readonly rows: number;
}

/** The cells that a picture of so many pixels takes when it is as large as the room allows; its shape stays. */
export function fitArea(picture: CellSize, cell: CellSize, area: CellArea): CellArea {
  // Rows per column: pictures are wider in cells than in pixels, because cells are higher than wide.
  const shape = ((picture.height / picture.width) * cell.width) / cell.height;
  const columns = Math.min(area.columns, area.rows / shape);
  return { columns: atLeastOne(columns), rows: atLeastOne(Math.min(area.rows, columns * shape)) };
}

function atLeastOne(cells: number): number {
  return Math.max(1, Math.round(cells));
}
