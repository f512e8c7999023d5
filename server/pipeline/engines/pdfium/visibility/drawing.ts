import type { Library } from "../library.ts";
import { around, objectTypes, type PageObject, type Region } from "./objects.ts";

/** Format of FPDFBitmap_CreateEx (fpdfview.h): with transparency. */
const bgra = 4;
const bytesPerPixel = 4;

/** Pixels that the lowest object gets at least, as far as the longest side allows it. */
const wantedPixels = 12;
const maxSide = 1_000;
/** Pixels around a region: strokes and smoothed edges reach beyond it. */
const rim = 2;

const intBytes = 4;

/** Of FPDFTextObj_SetTextRenderMode: text that leaves no ink, and that which is filled. */
const renderModes = { fill: 0, invisible: 3, clip: 7 } as const;

/** Draws a loaded page with some of its objects alone. Ends with all of them active, as it found them. */
export interface Alone {
  /** Whether one of the objects leaves anything on an empty page: the only question is where, not in which colour. */
  leavesInk(objects: readonly PageObject[]): boolean;
  end(): void;
}

export function drawAlone(library: Library, page: number, all: readonly PageObject[]): Alone {
  const { functions, quick, call } = library;
  const setActive = ({ handle }: PageObject, active: boolean): void => {
    call(() => quick.FPDFPageObj_SetIsActive(handle, active ? 1 : 0));
  };
  const invisible = all.filter(
    ({ handle, type }) =>
      type === objectTypes.text && isInvisible(call(() => functions.FPDFTextObj_GetTextRenderMode(handle))),
  );
  const modes = invisible.map(({ handle }) => call(() => functions.FPDFTextObj_GetTextRenderMode(handle)));
  for (const object of all) setActive(object, object.type === objectTypes.form);
  for (const { handle } of invisible) {
    call(() => functions.FPDFTextObj_SetTextRenderMode(handle, renderModes.fill));
  }
  return {
    leavesInk(objects) {
      const lowest = objects.map(({ region }) => Math.min(region.right - region.left, region.top - region.bottom));
      for (const object of objects) setActive(object, true);
      const ink = hasInk(library, page, around(objects.map(({ region }) => region)), Math.min(...lowest));
      for (const object of objects) setActive(object, object.type === objectTypes.form);
      return ink;
    },
    end() {
      for (const object of all) setActive(object, true);
      for (const [index, { handle }] of invisible.entries()) {
        call(() => functions.FPDFTextObj_SetTextRenderMode(handle, modes[index] ?? renderModes.invisible));
      }
    },
  };
}

function isInvisible(mode: number): boolean {
  return mode === renderModes.invisible || mode === renderModes.clip;
}

/** Whether the active objects of the page leave anything in a region of it. `lowest`: height of the smallest one, points. */
function hasInk(library: Library, page: number, region: Region, lowest: number): boolean {
  const { functions, call, heap } = library;
  const width = call(() => functions.FPDF_GetPageWidthF(page));
  const height = call(() => functions.FPDF_GetPageHeightF(page));
  const longest = Math.min(
    Math.max(region.right - region.left, region.top - region.bottom, 1),
    Math.max(width, height),
  );
  const scale = Math.min(wantedPixels / Math.max(lowest, 0.01), maxSide / longest);
  const size = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
  const pixels = toPixels(library, page, region, size);
  if (pixels.right <= pixels.left || pixels.bottom <= pixels.top) return false;
  const [across, down] = [pixels.right - pixels.left, pixels.bottom - pixels.top];
  const bitmap = call(() => functions.FPDFBitmap_CreateEx(across, down, bgra, 0, 0));
  if (bitmap === 0) return true;
  call(() => functions.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, 0));
  call(() => functions.FPDF_RenderPageBitmap(bitmap, page, -pixels.left, -pixels.top, size.width, size.height, 0, 0));
  const start = call(() => functions.FPDFBitmap_GetBuffer(bitmap));
  const bytes = heap().subarray(start, start + across * down * bytesPerPixel);
  const ink = bytes.some((value, at) => at % bytesPerPixel === bytesPerPixel - 1 && value > 0);
  call(() => functions.FPDFBitmap_Destroy(bitmap));
  return ink;
}

interface Pixels {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Of the picture of a page that is drawn in this size: those that a region covers, as far as they are on it. */
function toPixels(
  { functions, call, scratch, view }: Library,
  page: number,
  region: Region,
  { width, height }: { readonly width: number; readonly height: number },
): Pixels {
  return scratch(2 * intBytes, (pointer) => {
    const place = (x: number, y: number): readonly [number, number] => {
      call(() => functions.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, pointer, pointer + intBytes));
      return [view().getInt32(pointer, true), view().getInt32(pointer + intBytes, true)];
    };
    const [one, other] = [place(region.left, region.bottom), place(region.right, region.top)];
    return {
      left: Math.max(0, Math.min(one[0], other[0]) - rim),
      top: Math.max(0, Math.min(one[1], other[1]) - rim),
      right: Math.min(width, Math.max(one[0], other[0]) + rim),
      bottom: Math.min(height, Math.max(one[1], other[1]) + rim),
    };
  });
}
