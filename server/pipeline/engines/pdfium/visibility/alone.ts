import type { Library } from "../library.ts";
import { bytesPerPixel, draw, viewOf } from "./drawing.ts";
import { around, objectTypes, type PageObject } from "./objects.ts";
import { isInvisible, renderModes } from "./render-modes.ts";

/** Pixels that the lowest object gets, if that fits. */
const wantedPixels = 12;
const transparent = 0;

/** Draws a loaded page with some of its objects alone. Ends with all of them active, as it found them. */
export interface Alone {
  /** Whether one of the objects leaves anything on an empty page: the only question is where, not in which colour. */
  leavesInk(objects: readonly PageObject[]): boolean;
  end(): void;
}

export function drawAlone(library: Library, page: number, all: readonly PageObject[]): Alone {
  const { functions, call } = library;
  const invisible = all
    .filter(({ type }) => type === objectTypes.text)
    .map(({ handle }) => ({ handle, mode: call(() => functions.FPDFTextObj_GetTextRenderMode(handle)) }))
    .filter(({ mode }) => isInvisible(mode));
  for (const object of all) setActive(library, object, object.type === objectTypes.form);
  for (const { handle } of invisible) {
    call(() => functions.FPDFTextObj_SetTextRenderMode(handle, renderModes.fill));
  }
  return {
    leavesInk(objects) {
      const heights = objects.map(({ region }) => Math.max(0.01, region.top - region.bottom));
      const region = around(objects.map((object) => object.region));
      const view = viewOf(library, page, region, wantedPixels / Math.min(...heights));
      if (view === undefined) return false;
      for (const object of objects) setActive(library, object, true);
      const ink = draw(library, page, view, transparent, (bytes) =>
        bytes.some((value, at) => at % bytesPerPixel === bytesPerPixel - 1 && value > 0),
      );
      for (const object of objects) setActive(library, object, object.type === objectTypes.form);
      return ink ?? true;
    },
    end() {
      for (const object of all) setActive(library, object, true);
      for (const { handle, mode } of invisible) {
        call(() => functions.FPDFTextObj_SetTextRenderMode(handle, mode));
      }
    },
  };
}

/** Objects that are not active are not drawn. */
export function setActive({ quick, call }: Library, { handle }: PageObject, active: boolean): void {
  call(() => quick.FPDFPageObj_SetIsActive(handle, active ? 1 : 0));
}
