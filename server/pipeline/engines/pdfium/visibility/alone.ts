import type { Library } from "../library.ts";
import { bytesPerPixel, draw, viewOf } from "./drawing.ts";
import { around, objectTypes, type PageObject } from "./objects.ts";
import { isInvisible, renderModes } from "./render-modes.ts";

/** Height in pixels at which the lowest object is drawn, if that fits. */
const targetPixels = 12;
const transparent = 0;

/** Draws some objects of a loaded page alone. At the end all objects are active again. */
export interface Alone {
  /** Whether one of the objects leaves anything on an empty page, in any colour. */
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
      const view = viewOf(library, page, region, targetPixels / Math.min(...heights));
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

/** Activates or deactivates an object; inactive objects are not drawn. */
export function setActive({ quick, call }: Library, { handle }: PageObject, active: boolean): void {
  call(() => quick.FPDFPageObj_SetIsActive(handle, active ? 1 : 0));
}
