import type { Box } from "../../matrix.ts";
import type { Library } from "../library.ts";
import { around, isInvisible, objectTypes, type PageObject, renderModes } from "./objects.ts";

/** Format of FPDFBitmap_CreateEx (fpdfview.h): with transparency. */
const bgra = 4;
export const bytesPerPixel = 4;
const maxSide = 1_500;
/** Pixels that are added around a region, because strokes and smoothed edges reach beyond it. */
const rim = 2;
const intBytes = 4;

/** A rectangle of a picture, in pixels from its upper left. */
export interface Pixels {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A view of a part of a page. */
export interface View {
  /** Size of the whole page in pixels. */
  readonly width: number;
  readonly height: number;
  /** The part that is drawn. */
  readonly pixels: Pixels;
}

/**
 * Returns the view of a region on the page, at `scale` pixels per point if that fits. Undefined if the region is not on the page.
 */
export function viewOf(library: Library, page: number, region: Box, scale: number): View | undefined {
  const { functions, call } = library;
  const width = call(() => functions.FPDF_GetPageWidthF(page));
  const height = call(() => functions.FPDF_GetPageHeightF(page));
  const longest = Math.max(region.right - region.left, region.top - region.bottom, 1);
  const fitting = Math.min(scale, maxSide / Math.min(longest, Math.max(width, height)));
  const size = { width: Math.ceil(width * fitting), height: Math.ceil(height * fitting) };
  const { left, top, right, bottom } = toPixels(library, page, region, size);
  const pixels = {
    left: Math.max(0, left - rim),
    top: Math.max(0, top - rim),
    right: Math.min(size.width, right + rim),
    bottom: Math.min(size.height, bottom + rim),
  };
  return pixels.right > pixels.left && pixels.bottom > pixels.top ? { ...size, pixels } : undefined;
}

/** Returns the position of a region in a picture of the whole page, which has this size. */
export function toPixels(
  { functions, call, scratch, view }: Library,
  page: number,
  region: Box,
  { width, height }: { readonly width: number; readonly height: number },
): Pixels {
  return scratch(2 * intBytes, (pointer) => {
    const place = (x: number, y: number): readonly [number, number] => {
      call(() => functions.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, pointer, pointer + intBytes));
      return [view().getInt32(pointer, true), view().getInt32(pointer + intBytes, true)];
    };
    const [one, other] = [place(region.left, region.bottom), place(region.right, region.top)];
    return {
      left: Math.min(one[0], other[0]),
      top: Math.min(one[1], other[1]),
      right: Math.max(one[0], other[0]),
      bottom: Math.max(one[1], other[1]),
    };
  });
}

/** Draws the active objects of a page on a background, and calls `use` with the pixels: blue, green, red, opacity. */
export function draw<Result>(
  { functions, call, heap }: Library,
  page: number,
  { width, height, pixels }: View,
  background: number,
  use: (bytes: Uint8Array) => Result,
): Result | undefined {
  const [across, down] = [pixels.right - pixels.left, pixels.bottom - pixels.top];
  const bitmap = call(() => functions.FPDFBitmap_CreateEx(across, down, bgra, 0, 0));
  if (bitmap === 0) return undefined;
  call(() => functions.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, background));
  call(() => functions.FPDF_RenderPageBitmap(bitmap, page, -pixels.left, -pixels.top, width, height, 0, 0));
  const start = call(() => functions.FPDFBitmap_GetBuffer(bitmap));
  const result = use(heap().subarray(start, start + across * down * bytesPerPixel));
  call(() => functions.FPDFBitmap_Destroy(bitmap));
  return result;
}

/** Height in pixels at which the object of least height is drawn, if that fits. */
const targetPixels = 12;
const transparent = 0;

/** Draws some objects of a loaded page without the others. `end` makes all objects active again. */
interface Alone {
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
