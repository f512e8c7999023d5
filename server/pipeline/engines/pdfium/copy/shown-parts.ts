import {
  type Dictionary,
  isDictionary,
  isList,
  plainName,
  Reference,
  type Value,
  type WrittenObject,
} from "./pdf-objects.ts";
import { inflateSync } from "node:zlib";

type Objects = ReadonlyMap<number, WrittenObject>;
/** The role of a dictionary, which decides the entries that are kept. */
type Role =
  | "plain"
  | "catalogue"
  | "pages"
  | "page"
  | "content"
  | "resources"
  | "xObjects"
  | "annotation"
  | "field"
  | "action"
  | "stream";

const names = (list: string): ReadonlySet<string> => new Set(list.split(" ").map((name) => `/${name}`));

/** Entries that are kept (ISO 32000-2, the tables of these dictionaries), because they are drawn or a viewer needs them. */
const entriesOf: Partial<Record<Role, ReadonlySet<string>>> = {
  catalogue: names("Type Pages"),
  pages: names("Type Kids Count"),
  page: names(
    "Type Parent Resources MediaBox CropBox BleedBox TrimBox ArtBox Contents Rotate Group Annots UserUnit Tabs",
  ),
  annotation: names(
    "Type Subtype Rect F AP AS Border BS BE C CA ca BM OC Contents NM M T Subj CreationDate RC IT IRT RT State StateModel " +
      "Popup Parent Open Name QuadPoints L LE LL LLE LLO Cap CP CO Vertices InkList IC RD CL DA DS Q Path Rotate FixedPrint " +
      "H A MK FT Ff V Opt MaxLen I TI FS",
  ),
  action: names("Type S URI IsMap"),
  field: names("FT Ff T V DA DS Q MaxLen Opt I TI Parent"),
};
const formEntries = names("Type Subtype FormType BBox Matrix Resources Group Filter DecodeParms Length OC Name");
const imageEntries = names(
  "Type Subtype Width Height ColorSpace BitsPerComponent Intent ImageMask Mask Decode Interpolate SMask SMaskInData Matte Filter " +
    "DecodeParms Length OC Name",
);
/** A layer with an empty name: layers must have a name, but a page does not show it. */
const namelessLayer: Dictionary = new Map([
  ["/Type", "/OCG"],
  ["/Name", "()"],
]);
/** Invisible entries of other streams, which are dropped. */
const besides = names("Metadata PieceInfo AF OPI LastModified StructParent StructParents Measure PtData");
/** Flag of a field whose value is shown as asterisks, table 231. */
const password = 2 ** 13;
/** Maximum nesting of resources to follow; deeper ones all remain. */
const maxRounds = 20;

/**
 * Returns the objects of a one-page PDF without everything that is invisible when it is opened or printed: data of programs,
 * metadata, actions, files, thumbnails, and pictures and forms that no content names. `root` is the number of the catalogue.
 */
export function shownParts(objects: Objects, root: number): Objects {
  let used: { has(name: string): boolean; readonly size: number } = new Set<string>();
  for (let round = 0; ; round += 1) {
    const part = reached(objects, root, used);
    if (!part.isLeftOut || used.size === Infinity) return part.kept;
    const found = round < maxRounds ? namesIn(objects, part.contents) : undefined;
    if (found?.size === used.size) return part.kept;
    used = found ?? { has: () => true, size: Infinity };
  }
}

function namesIn(objects: Objects, contents: ReadonlySet<number>): ReadonlySet<string> | undefined {
  const all = new Set<string>();
  for (const number of contents) {
    const object = objects.get(number);
    // Lists of streams, or of names of streams, also have the role of content.
    const found = object?.data === undefined ? new Set<string>() : contentNames(object);
    if (found === undefined) return undefined;
    for (const name of found) all.add(name);
  }
  return all;
}

interface Part {
  readonly kept: Objects;
  /** The content streams among the used objects. */
  readonly contents: ReadonlySet<number>;
  /** Whether pictures or forms were left out because nothing names them. */
  readonly isLeftOut: boolean;
}

function reached(objects: Objects, root: number, used: { has(name: string): boolean }): Part {
  const kept = new Map<number, WrittenObject>();
  const contents = new Set<number>();
  const roles = new Map<number, Role>([[root, "catalogue"]]);
  const page = { objects, annotations: annotationsIn(objects, root) };
  let isLeftOut = false;

  const keep = (value: Value, role: Role): Value => {
    if (value instanceof Reference) {
      if (!objects.has(value.number)) return "null";
      if (role === "content") contents.add(value.number);
      if (!roles.has(value.number)) roles.set(value.number, role);
      return value;
    }
    if (isList(value)) return value.map((one) => keep(one, role));
    if (!isDictionary(value)) return value;
    const entries = new Map<string, Value>();
    for (const [name, entry] of shownEntries(page, value, role)) {
      if (role === "xObjects" && !used.has(name)) isLeftOut = true;
      else entries.set(name, keep(entry, roleOf(name, role)));
    }
    return entries;
  };
  // The loop body adds objects to `roles`, which the loop visits as well.
  for (const [number, role] of roles) {
    const object = objects.get(number);
    if (object === undefined) continue;
    const { value, data } = object;
    if (data === undefined || !isDictionary(value)) {
      kept.set(number, { value: keep(value, role), data });
      continue;
    }
    if (value.get("/Subtype") === "/Form" || value.has("/PatternType")) contents.add(number);
    kept.set(number, { value: keep(streamEntries(value), "stream"), data });
  }
  return { kept, contents, isLeftOut };
}

function roleOf(name: string, role: Role): Role {
  if (role === "catalogue") return "pages";
  if (role === "pages" && name === "/Kids") return "page";
  if (role === "page" && name === "/Parent") return "pages";
  if (role === "page" && name === "/Contents") return "content";
  if (role === "page" && name === "/Annots") return "annotation";
  if ((role === "annotation" || role === "field") && name === "/Parent") return "field";
  if (role === "annotation" && name === "/A") return "action";
  if (role === "resources") return name === "/XObject" ? "xObjects" : "plain";
  if (name === "/Resources") return "resources";
  return name === "/CharProcs" || role === "content" ? "content" : "plain";
}

interface Page {
  readonly objects: Objects;
  /** The numbers of its annotations that are objects of their own. */
  readonly annotations: ReadonlySet<number>;
}

type Entry = readonly [string, Value];

function shownEntries(page: Page, value: Dictionary, role: Role): Iterable<Entry> {
  if (value.get("/Type") === "/OCG") return namelessLayer;
  const wanted = entriesOf[role];
  if (wanted === undefined) {
    // Dictionaries of arbitrary names have no type.
    return typeof value.get("/Type") === "string" ? [...value].filter(([name]) => !besides.has(name)) : value;
  }
  const isSecret = (Number(value.get("/Ff") ?? 0) & password) !== 0;
  const entries = [...value].filter(([name]) => wanted.has(name) && !(isSecret && name === "/V"));
  return role === "annotation" ? entries.flatMap((entry) => annotationEntry(page, value, entry)) : entries;
}

/** Returns the visible part of an annotation's entry: one entry, or none. */
function annotationEntry(
  { objects, annotations }: Page,
  annotation: Dictionary,
  [name, entry]: Entry,
): readonly Entry[] {
  const resolved = resolve(objects, entry);
  if (name === "/A") return isDictionary(resolved) && resolved.get("/S") === "/URI" ? [[name, entry]] : [];
  if (name === "/AP") return isDictionary(resolved) ? [[name, shownAppearance(objects, annotation, resolved)]] : [];
  // An icon for an attached file must name one.
  if (name === "/FS") return [[name, "()"]];
  const isLink =
    name === "/IRT" || name === "/Popup" || (name === "/Parent" && annotation.get("/Subtype") === "/Popup");
  return !isLink || (entry instanceof Reference && annotations.has(entry.number)) ? [[name, entry]] : [];
}

/** The appearance that is shown: the normal one (ISO 32000-2, 12.5.5), in the current state if it has several. */
function shownAppearance(objects: Objects, annotation: Dictionary, appearances: Dictionary): Dictionary {
  const normal = appearances.get("/N");
  if (normal === undefined) return new Map();
  const states = resolve(objects, normal);
  const state = annotation.get("/AS");
  const isStream = normal instanceof Reference && objects.get(normal.number)?.data !== undefined;
  if (isStream || !isDictionary(states) || typeof state !== "string") return new Map([["/N", normal]]);
  const shown = states.get(plainName(state));
  return new Map([["/N", new Map(shown === undefined ? [] : [[plainName(state), shown]])]]);
}

function streamEntries(value: Dictionary): Dictionary {
  const subtype = value.get("/Subtype");
  const wanted = subtype === "/Form" ? formEntries : subtype === "/Image" ? imageEntries : undefined;
  return new Map([...value].filter(([name]) => (wanted === undefined ? !besides.has(name) : wanted.has(name))));
}

function annotationsIn(objects: Objects, root: number): ReadonlySet<number> {
  const entry = (value: Value | undefined, name: string): Value | undefined => {
    const dictionary = resolve(objects, value);
    return isDictionary(dictionary) ? resolve(objects, dictionary.get(name)) : undefined;
  };
  const kids = entry(entry(new Reference(root), "/Pages"), "/Kids");
  const annotations = entry(isList(kids) ? kids[0] : undefined, "/Annots");
  const references = isList(annotations) ? annotations.filter((one) => one instanceof Reference) : [];
  return new Set(references.map(({ number }) => number));
}

function resolve(objects: Objects, value: Value | undefined): Value | undefined {
  return value instanceof Reference ? objects.get(value.number)?.value : value;
}

/** Maximum bytes of unpacked content that are searched. */
const maxBytes = 2 ** 26;
const namePattern = /\/([^\s\0()<>[\]{}/%]+)/g;

/** Returns the names, including slashes, that a content stream may use. Undefined if its filters are not supported here. */
function contentNames({ value, data }: WrittenObject): ReadonlySet<string> | undefined {
  if (!isDictionary(value) || data === undefined) return undefined;
  const filter = value.get("/Filter");
  const filters = isList(filter) ? filter : filter === undefined ? [] : [filter];
  if (value.has("/DecodeParms") || filters.length > 1) return undefined;
  const content = filters.length === 0 ? data : filters[0] === "/FlateDecode" ? unpacked(data) : undefined;
  if (content === undefined) return undefined;
  return new Set(Array.from(content.toString("latin1").matchAll(namePattern), ([name]) => plainName(name)));
}

function unpacked(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}
