import type { Library } from "../library.ts";
import { drawAlone } from "./drawing.ts";
import { objectTypes, type PageObject } from "./objects.ts";

/** Number of objects of a group to draw first: if one leaves ink, the group's layers are on. */
const sample = 8;
/** Maximum groups of a page to try one by one. */
const maxGroups = 2_000;

/**
 * Returns the objects that a page hides because their layer, or that of their form, is off. PDFium does not report the state of a
 * layer, but draws nothing of a layer that is off, so each group of objects with the same marks is drawn alone. Beyond
 * `maxGroups`, groups with the same layer names are merged; a merged group is off if an earlier group of these names was. `all`
 * are the objects of the page; `objects` are those to decide on, without forms; `single` are types whose objects may each name a
 * layer of their own.
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
  /** Whether layers are on, by their names. */
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

/** Returns the group of an object, which is shown or hidden as a whole; "" if no layer can hide the object. */
function groupOf(object: PageObject, isSingle: boolean): string {
  const around = object.form === undefined ? "" : groupOf(object.form, true);
  const own = isSingle && object.type !== objectTypes.text ? `:${object.handle}` : "";
  return `${around}${object.layers}${own}`;
}
