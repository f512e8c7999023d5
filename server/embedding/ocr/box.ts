import { componentsOf } from "../mask/components.ts";
import type { Mask } from "../mask/mask.ts";

/** A rectangle of pixels; right and bottom are outside of it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A page with more runs is noise or a screen of dots; a page of small print has a tenth. */
const maxRuns = 1_000_000;

/** Returns the boxes of connected ink, corners included. Pages of noise have none. */
export function inkBoxes(ink: Mask): Box[] {
  return componentsOf(ink, maxRuns).map(({ left, top, width, height }) => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
  }));
}
