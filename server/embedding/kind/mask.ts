/** Pixels that are ink (1) or not (0), rows from the top. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A connected piece of a mask. */
export interface Component {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Pixels. */
  readonly size: number;
  /** Of them, those on the outermost rows and columns: nearly all of a box that is drawn as an outline. */
  readonly onFrame: number;
}

/** Pieces that hang together across or down or by a corner, in the order of their first pixels. */
export function componentsOf({ width, height, data }: Mask): Component[] {
  const seen = new Uint8Array(data.length);
  const found: Component[] = [];
  const members = new Int32Array(data.length);
  for (let start = 0; start < data.length; start += 1) {
    if (data[start] === 0 || seen[start] === 1) continue;
    let count = 1;
    members[0] = start;
    seen[start] = 1;
    let [left, right, top, bottom] = [width, 0, height, 0];
    for (let next = 0; next < count; next += 1) {
      const at = members[next] ?? 0;
      const x = at % width;
      const y = (at - x) / width;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1) {
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
          const near = row * width + column;
          if (data[near] === 0 || seen[near] === 1) continue;
          seen[near] = 1;
          members[count] = near;
          count += 1;
        }
      }
    }
    let onFrame = 0;
    for (let index = 0; index < count; index += 1) {
      const at = members[index] ?? 0;
      const x = at % width;
      const y = (at - x) / width;
      if (x <= left + 1 || x >= right - 1 || y <= top + 1 || y >= bottom - 1) onFrame += 1;
    }
    found.push({ left, top, width: right - left + 1, height: bottom - top + 1, size: count, onFrame });
  }
  return found;
}
