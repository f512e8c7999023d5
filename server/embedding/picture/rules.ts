import { maximumAcross, minimumAcross, transposed } from "./morphology.ts";
import type { Plane } from "./plane.ts";

/**
 * Takes away whatever is longer than `length` pixels across or down: ruled lines, frames, shading. Renderers draw a
 * hairline black at one size and pale at another, so it would be the strongest mark of a page and the least faithful.
 *
 * The white top-hat of mathematical morphology with line segments (Serra, "Image Analysis and Mathematical
 * Morphology", 1982): the plane less the larger of its horizontal and vertical openings.
 */
export function withoutRules(plane: Plane, length: number): Plane {
  const { width, height, data } = plane;
  const rows = opened(plane, length).data;
  const columns = transposed(opened(transposed(plane), length)).data;
  const result = new Float32Array(data.length);
  for (let at = 0; at < result.length; at += 1) {
    const row = rows[at] ?? 0;
    const column = columns[at] ?? 0;
    result[at] = (data[at] ?? 0) - (row > column ? row : column);
  }
  return { width, height, data: result };
}

/** What is left of each row when everything shorter than the window is taken away. */
function opened(plane: Plane, length: number): Plane {
  const half = Math.max(1, length >> 1);
  return maximumAcross(minimumAcross(plane, half), half);
}
