import type { World } from "../world.ts";
import { openCanvas, type PictureChoice } from "./canvas.ts";
import { askedArea, unaskedArea } from "./area.ts";

/** Where the pictures of pages are shown. */
export interface Gallery {
  /** How many of the pages are shown, from the first on. */
  readonly count: number;
  /** Why none is, where pictures have been asked for. */
  readonly reason?: string;
  /** A picture as text for the terminal, with the line break after it. */
  draw(load: () => Promise<Uint8Array>): Promise<string>;
}

/** What a person has said of pictures; undefined: nothing. */
export type PictureOption = PictureChoice | false | undefined;

const nothing: Gallery = { count: 0, draw: () => Promise.resolve("") };

/** The terminal as a place for the pictures of so many pages: a few unasked, all of them where they are asked for. */
export async function openGallery(option: PictureOption, pages: number, world: World): Promise<Gallery> {
  if (option === false || option === "none" || pages === 0) return nothing;
  const canvas = await openCanvas(option ?? "auto", world);
  if (canvas.format === undefined) return option === undefined ? nothing : { ...nothing, reason: canvas.reason };
  const { count, area } = option === undefined ? unaskedArea(canvas, pages) : { count: pages, area: askedArea(canvas) };
  return {
    count,
    async draw(load) {
      // The library for pictures is loaded only where one is drawn.
      const { drawPicture } = await import("./draw.ts");
      return drawPicture(load, canvas, area, world.signal);
    },
  };
}
