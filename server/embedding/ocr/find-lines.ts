import type { GreyRaster } from "../raster.ts";
import { inkBoxes } from "./box.ts";
import { type Line, lettersAmong, linesOf } from "./lines.ts";
import { inkMask } from "./ink.ts";
import { inReadingOrder } from "./order.ts";
import { skewOf } from "./skew.ts";

/** A single letter is read if it is about as tall as the page's lines: a number in a table, not a speck. */
const loneRatio = 1.8;

/** Finds the lines of text on a grey page, in reading order. Time and memory are bounded for any page. */
export function findLines(page: GreyRaster): Line[] {
  const letters = lettersAmong(inkBoxes(inkMask(page)));
  const lines = linesOf(letters, skewOf(letters));
  const heights = lines.flatMap(({ letters, top, bottom }) => (letters > 2 ? [bottom - top] : []));
  const usual = heights.toSorted((one, other) => one - other)[heights.length >> 1] ?? 0;
  const worthReading = lines.filter(({ letters, top, bottom }) => {
    const height = bottom - top;
    return letters > 2 || (height < usual * loneRatio && height * loneRatio > usual);
  });
  return inReadingOrder(worthReading);
}
