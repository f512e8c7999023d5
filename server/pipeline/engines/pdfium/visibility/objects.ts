import { type Box, boxThrough, identity, type Matrix, times, toMatrix } from "../../matrix.ts";
import type { Library } from "../library.ts";

/** Types of page objects, fpdf_edit.h. */
export const objectTypes = { text: 1, path: 2, image: 3, shading: 4, form: 5 } as const;

/** Something that a page draws: text, a path, a picture, a shading, or a form, which contains objects. */
export interface PageObject {
  readonly handle: number;
  readonly type: number;
  /** Its index among the objects of its page or form. */
  readonly index: number;
  readonly form: PageObject | undefined;
  /** Maps its coordinates to the page's. */
  readonly matrix: Matrix;
  /** The object's bounds in the coordinates of the page before its rotation. */
  readonly region: Box;
  /** The marks of optional content around the object within its form, as handles of PDFium; "" if there are none. */
  readonly layers: string;
  /** The same as names of layers, with the handle for a layer without a name. */
  readonly layerNames: string;
}

/** Maximum objects of a page to examine; further objects count as shown. */
export const maxObjects = 20_000;
const maxDepth = 16;

const floatBytes = 4;
const doubleBytes = 8;
const nameBytes = 256;

/** Returns the objects of a loaded page in drawing order, a form before its objects. */
export function pageObjects(library: Library, page: number): readonly PageObject[] {
  const { functions, quick, call } = library;
  const found: PageObject[] = [];
  const readLayers = layerReader(library);

  const walk = (form: PageObject | undefined, inner: Matrix, depth: number): void => {
    const count =
      form === undefined ? functions.FPDFPage_CountObjects(page) : functions.FPDFFormObj_CountObjects(form.handle);
    for (let index = 0; index < count && found.length < maxObjects; index += 1) {
      const handle =
        form === undefined ? quick.FPDFPage_GetObject(page, index) : quick.FPDFFormObj_GetObject(form.handle, index);
      const type = quick.FPDFPageObj_GetType(handle);
      const region = transformed(boundsOf(library, handle, bounds), inner);
      const object = { handle, type, index, form, matrix: inner, region, ...readLayers(handle) };
      found.push(object);
      if (type === objectTypes.form && depth < maxDepth) {
        walk(object, times(inner, matrixOf(library, handle)), depth + 1);
      }
    }
  };
  const bounds = library.malloc(4 * floatBytes);
  call(() => walk(undefined, identity, 0));
  library.free(bounds);
  return found;
}

/** Reads the marks of optional content around an object. Objects between the same two operators have the same marks. */
function layerReader(library: Library): (object: number) => Pick<PageObject, "layers" | "layerNames"> {
  const { functions, quick, call } = library;
  /** The name of each mark's layer; undefined if the mark does not belong to a layer. */
  const known = new Map<number, string | undefined>();
  const nameOf = (mark: number): string | undefined => {
    if (known.has(mark)) return known.get(mark);
    const tag = readName(library, (buffer, bytes, length) =>
      functions.FPDFPageObjMark_GetName(mark, buffer, bytes, length),
    );
    const name =
      tag === "OC"
        ? readName(library, (buffer, bytes, length) =>
            functions.FPDFPageObjMark_GetParamStringValue(mark, "Name", buffer, bytes, length),
          ) || String(mark)
        : undefined;
    known.set(mark, name);
    return name;
  };
  return (object) => {
    const count = call(() => quick.FPDFPageObj_CountMarks(object));
    let [layers, layerNames] = ["", ""];
    for (let index = 0; index < count; index += 1) {
      const mark = call(() => quick.FPDFPageObj_GetMark(object, index));
      const name = nameOf(mark);
      if (name === undefined) continue;
      layers += ` ${mark}`;
      layerNames += ` ${name}`;
    }
    return { layers, layerNames };
  };
}

/** Reads a text that PDFium writes as UTF-16; "" if there is none, or it is too long. */
function readName(
  { call, scratch, heap, view }: Library,
  read: (buffer: number, bytes: number, length: number) => boolean,
): string {
  return scratch(nameBytes + floatBytes, (name) => {
    if (!call(() => read(name, nameBytes, name + nameBytes))) return "";
    const length = view().getUint32(name + nameBytes, true);
    if (length > nameBytes) return "";
    return Buffer.from(heap().buffer, name, length).toString("utf16le").replace(/\0$/, "");
  });
}

/** Returns the bounds of an object in the coordinates of its page or form. `pointer` is a buffer for four numbers. */
export function boundsOf({ quick, view }: Library, object: number, pointer: number): Box {
  const at = (place: number): number => pointer + place * floatBytes;
  const known = quick.FPDFPageObj_GetBounds(object, at(0), at(1), at(2), at(3)) !== 0;
  const edge = (place: number): number => (known ? view().getFloat32(at(place), true) : 0);
  return { left: edge(0), bottom: edge(1), right: edge(2), top: edge(3) };
}

/** Returns the matrix that maps coordinates of a form or picture to those of its parent. */
export function matrixOf({ functions, call, scratch, view }: Library, object: number): Matrix {
  return scratch(6 * floatBytes, (pointer) => {
    if (!call(() => functions.FPDFPageObj_GetMatrix(object, pointer))) return identity;
    return toMatrix(Array.from({ length: 6 }, (_, place) => view().getFloat32(pointer + place * floatBytes, true)));
  });
}

export const transformed = (region: Box, matrix: Matrix): Box =>
  matrix === identity ? region : boxThrough(matrix, region);

/** Returns the smallest region that contains all regions. */
export function around(regions: readonly Box[]): Box {
  const edge = (pick: (region: Box) => number, choose: (one: number, other: number) => number): number =>
    regions.map(pick).reduce((one, other) => choose(one, other));
  return {
    left: edge(({ left }) => left, Math.min),
    bottom: edge(({ bottom }) => bottom, Math.min),
    right: edge(({ right }) => right, Math.max),
    top: edge(({ top }) => top, Math.max),
  };
}

export function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top;
}

/** Returns the region without a quarter at each edge. */
export function middleOf({ left, bottom, right, top }: Box): Box {
  const [across, up] = [(right - left) / 4, (top - bottom) / 4];
  return { left: left + across, bottom: bottom + up, right: right - across, top: top - up };
}

/** Returns the visible part of a loaded page: the intersection of its crop box and media box. */
export function shownRegion({ functions, call, scratch, view }: Library, page: number): Box {
  const pixels = 1_000;
  return scratch(2 * doubleBytes, (pointer) => {
    const corner = (at: number): readonly [number, number] => {
      call(() => functions.FPDF_DeviceToPage(page, 0, 0, pixels, pixels, 0, at, at, pointer, pointer + doubleBytes));
      return [view().getFloat64(pointer, true), view().getFloat64(pointer + doubleBytes, true)];
    };
    const [one, other] = [corner(0), corner(pixels)];
    return {
      left: Math.min(one[0], other[0]),
      bottom: Math.min(one[1], other[1]),
      right: Math.max(one[0], other[0]),
      top: Math.max(one[1], other[1]),
    };
  });
}

/** Modes of FPDFTextObj_GetTextRenderMode: filled text, and text that leaves no ink. */
export const renderModes = { fill: 0, invisible: 3, clip: 7 } as const;

export function isInvisible(mode: number): boolean {
  return mode === renderModes.invisible || mode === renderModes.clip;
}
