import type { Library } from "../library.ts";
import { drawAlone } from "./alone.ts";
import { objectTypes, type PageObject } from "./objects.ts";

/** How many objects of a group are drawn first: one that leaves ink tells that the group's layers are on. */
const sample = 8;
/** Groups that are tried on one page; further ones count as shown. */
const maxGroups = 2_000;

/**
 * Those of the objects that a page does not show because a layer is off that they, or the form that they are in, belong to.
 * PDFium tells no state of a layer, but it draws nothing of one that is off: each group of objects with the same layers is drawn
 * alone. `all`: what the page draws; `objects`: those of it that are asked for, no forms; `single`: types of which every one
 * may name a layer of its own.
 */
export function objectsOfOffLayers(
  library: Library,
  page: number,
  all: readonly PageObject[],
  objects: readonly PageObject[],
  single: ReadonlySet<number> = new Set(),
): ReadonlySet<PageObject> {
  const groups = new Map<string, PageObject[]>();
  for (const object of objects) {
    const name = groupOf(object, single.has(object.type));
    if (name === "") continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [object]);
    else group.push(object);
  }
  const off = new Set<PageObject>();
  if (groups.size === 0) return off;
  const alone = drawAlone(library, page, all);
  for (const group of [...groups.values()].slice(0, maxGroups)) {
    const isOn =
      alone.leavesInk(group.slice(0, sample)) || (group.length > sample && alone.leavesInk(group.slice(sample)));
    if (!isOn) for (const object of group) off.add(object);
  }
  alone.end();
  return off;
}

/** Objects of one group are shown or hidden together. "": no layer hides it. */
function groupOf(object: PageObject, isSingle: boolean): string {
  const around = object.form === undefined ? "" : groupOf(object.form, true);
  const own = isSingle && object.type !== objectTypes.text ? `:${object.handle}` : "";
  return `${around}${object.layers}${own}`;
}
