export type Spot = readonly [x: number, y: number];

/** Splits the points into pieces without gaps. No piece is empty. */
export function piecesOf(spots: readonly (Spot | undefined)[]): readonly (readonly Spot[])[] {
  const pieces: Spot[][] = [];
  let piece: Spot[] | undefined;
  for (const spot of spots) {
    if (spot === undefined) piece = undefined;
    else if (piece === undefined) pieces.push((piece = [spot]));
    else piece.push(spot);
  }
  return pieces;
}
