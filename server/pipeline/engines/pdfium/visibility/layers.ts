import type { Library } from "../library.ts";
import { drawAlone } from "./alone.ts";
import { objectTypes, type PageObject } from "./objects.ts";

/** How many objects of a group are drawn first: one that leaves ink tells that the group's layers are on. */
const sample = 8;
/** Groups that are tried on one page. */
const maxGroups = 2_000;

/**
 * Those of the objects that a page does not show because a layer is off that they, or the form that they are in, belong to.
 * PDFium tells no state of a layer, but it draws nothing of one that is off: each group of objects with the same marks is drawn
 * alone. Of more groups than that those whose layers have the same names are one; it is off if one before of these names was. `all`: what the page draws; `objects`: those of it that are asked for, no forms; `single`: types of which every one
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
  const isOn = (group: readonly PageObject[]): boolean =>
    alone.leavesInk(group.slice(0, sample)) || (group.length > sample && alone.leavesInk(group.slice(sample)));
  const each = [...groups.values()];
  /** By the names of layers. */
  const on = new Map<string, boolean>();
  for (const group of each.slice(0, maxGroups)) {
    const is = isOn(group);
    const names = namesOf(group);
    on.set(names, is && on.get(names) !== false);
    if (!is) for (const object of group) off.add(object);
  }
  for (const [names, some] of Map.groupBy(each.slice(maxGroups), namesOf)) {
    const group = some.flat();
    const is = on.get(names) ?? (on.size < 2 * maxGroups && isOn(group));
    on.set(names, is);
    if (!is) for (const object of group) off.add(object);
  }
  alone.end();
  return off;
}

const namesOf = ([object]: readonly PageObject[]): string => (object === undefined ? "" : namesAround(object));

const namesAround = ({ form, layerNames }: PageObject): string =>
  `${form === undefined ? "" : namesAround(form)}${layerNames}`;

/** Objects of one group are shown or hidden together. "": no layer hides it. */
function groupOf(object: PageObject, isSingle: boolean): string {
  const around = object.form === undefined ? "" : groupOf(object.form, true);
  const own = isSingle && object.type !== objectTypes.text ? `:${object.handle}` : "";
  return `${around}${object.layers}${own}`;
}
