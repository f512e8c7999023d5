import { componentsOf } from "../mask/components.ts";
import type { Mask } from "../mask/mask.ts";

/** A rectangle of pixels; right and bottom are outside of it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** So many pieces of rows are noise or a screen of dots, not letters; a page of small print has a tenth. */
const maxRuns = 1_000_000;

/** The boxes of ink that hangs together, corners included. Pages of noise have none. */
export function inkBoxes(ink: Mask): Box[] {
  return componentsOf(ink, maxRuns).map(({ left, top, width, height }) => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
  }));
}
