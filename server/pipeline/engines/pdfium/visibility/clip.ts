import type { Box } from "../../matrix.ts";
import type { Library } from "../library.ts";
import { around, type PageObject, transformed } from "./objects.ts";

const floatBytes = 4;
/** Maximum points of a rectangle: five if the first is repeated, four if it is closed by an operator. */
const rectanglePoints = 5;
/** Maximum points of one clip to examine. */
const maxPoints = 64;
/** Maximum nested clips to examine. */
const maxPaths = 16;
/** Letters reach this many points beyond the metrics of their fonts. */
const slack = 1;

/** Whether an object is certainly within its clips and those of the forms around it. */
export function isWithinClips(library: Library, object: PageObject): boolean {
  return [...holders(object)].every((holder) => {
    const { region } = object;
    return clipsOf(library, holder).every(({ points, isRectangle }) => {
      const clip = transformed(around(points), holder.matrix);
      return (
        isRectangle &&
        clip.left <= region.left + slack &&
        clip.bottom <= region.bottom + slack &&
        clip.right >= region.right - slack &&
        clip.top >= region.top - slack
      );
    });
  });
}

/** Returns the part of an object's region within its clips, as far as those are simple. */
export function withinClips(library: Library, object: PageObject): Box {
  let { left, bottom, right, top } = object.region;
  for (const holder of holders(object)) {
    for (const { points, isWhole } of clipsOf(library, holder)) {
      if (!isWhole) continue;
      const clip = transformed(around(points), holder.matrix);
      left = Math.max(left, clip.left);
      bottom = Math.max(bottom, clip.bottom);
      right = Math.min(right, clip.right);
      top = Math.min(top, clip.top);
    }
  }
  return { left, bottom, right, top };
}

function* holders(object: PageObject): Iterable<PageObject> {
  for (let holder: PageObject | undefined = object; holder !== undefined; holder = holder.form) yield holder;
}

function cornerOf({ left, top }: Box): string {
  return `${left} ${top}`;
}

interface Clip {
  readonly points: readonly Box[];
  /** Whether these are all points of the path. */
  readonly isWhole: boolean;
  readonly isRectangle: boolean;
}

function clipsOf({ quick, call, scratch, view }: Library, { handle }: PageObject): readonly Clip[] {
  return scratch(2 * floatBytes, (pointer) =>
    call(() => {
      const path = quick.FPDFPageObj_GetClipPath(handle);
      const count = path === 0 ? 0 : quick.FPDFClipPath_CountPaths(path);
      const clips: Clip[] = [];
      for (let index = 0; index < Math.min(count, maxPaths); index += 1) {
        const segments = quick.FPDFClipPath_CountPathSegments(path, index);
        const points = Array.from({ length: Math.min(segments, maxPoints) }, (_none, place) => {
          const segment = quick.FPDFClipPath_GetPathSegment(path, index, place);
          quick.FPDFPathSegment_GetPoint(segment, pointer, pointer + floatBytes);
          const [x, y] = [view().getFloat32(pointer, true), view().getFloat32(pointer + floatBytes, true)];
          return { left: x, right: x, bottom: y, top: y };
        });
        if (points.length === 0) continue;
        const kinds = [points.map(({ left }) => left), points.map(({ top }) => top), points.map(cornerOf)];
        const [lefts = 0, tops = 0, corners = 0] = kinds.map((kind) => new Set<unknown>(kind).size);
        clips.push({
          points,
          isWhole: segments <= maxPoints,
          isRectangle: segments <= rectanglePoints && lefts === 2 && tops === 2 && corners === 4,
        });
      }
      return clips;
    }),
  );
}
