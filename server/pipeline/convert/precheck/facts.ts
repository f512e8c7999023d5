import type { DocumentKind } from "../../../domain/documents/kind.ts";
import { type OfficePackage, findEntry, resolvePart } from "../../../formats/package.ts";
import type { XmlElement } from "../../../formats/xml.ts";
import { maxEntries } from "../../../formats/zip/directory.ts";
import { broken, tooMany } from "./refusals.ts";
import type { ElementWatch } from "./part.ts";
import type { Counts } from "./tally.ts";

/** A sheet of a workbook, in the order of its tabs. */
export interface Sheet {
  readonly name: string;
  /** Hidden in the workbook, so it must not be among the pages. */
  readonly hidden: boolean;
}

/** What the pre-check learned about a document, for its conversion. */
export interface OfficeFacts extends Readonly<Omit<Counts, "elements">> {
  readonly kind: DocumentKind;
  /** Bytes of all parts. */
  readonly inflatedBytes: number;
  readonly sheets: readonly Sheet[];
  readonly slides: number;
  /** Of `slides`, those that a show leaves out. */
  readonly hiddenSlides: number;
  readonly macros: boolean;
  /** Links to outside of the document that a program might follow by itself: pictures, templates, data; no hyperlinks. */
  readonly externalLinks: number;
}

type Learned = Pick<OfficeFacts, "sheets" | "slides" | "hiddenSlides" | "macros" | "externalLinks">;

/** Collects facts while the parts of a document are read. */
export interface FactFinder {
  /** What to call with the elements of that part. */
  watch(part: string): ElementWatch;
  /** After the last part. Throws `DocumentError` if the main part is not one or names parts that are missing. */
  finish(): Learned;
}

export function findFacts({ mainPart, root, directory }: OfficePackage): FactFinder {
  const folder = mainPart.slice(0, mainPart.lastIndexOf("/") + 1);
  const mainRelationships = `${folder}_rels/${mainPart.slice(folder.length)}.rels`.toLowerCase();
  /** Of the main part: the parts that its relationships point at, by id. */
  const targets = new Map<string, string>();
  const sheets: Sheet[] = [];
  /** Ids of the sheets and slides that the main part lists. */
  const listed: string[] = [];
  const facts = { slides: 0, hiddenSlides: 0, macros: false, externalLinks: 0 };
  let hasMain = false;

  function relationship(element: XmlElement, ofMain: boolean): void {
    const type = value(element, "Type");
    const isExternal = value(element, "TargetMode") === "External";
    if (/\/(vbaProject|xlMacrosheet|xlIntlMacrosheet)$/.test(type)) facts.macros = true;
    if (isExternal && !type.endsWith("/hyperlink")) facts.externalLinks += 1;
    if (!ofMain || isExternal) return;
    targets.set(kept(value(element, "Id")), resolvePart(folder, value(element, "Target")));
    if (targets.size > maxEntries) throw tooMany(maxEntries, "relationships");
  }

  function inMain(element: XmlElement): void {
    if (element.local !== "sheet" && element.local !== "sldId") return;
    const id = Object.values(element.attributes).find(
      ({ local, uri }) => local === "id" && uri.endsWith("/relationships"),
    );
    listed.push(kept(id?.value ?? ""));
    if (listed.length > maxEntries) throw tooMany(maxEntries, "sheets or slides");
    if (element.local === "sldId") facts.slides += 1;
    // `hidden` or `veryHidden`: the second only a program can undo.
    else sheets.push({ name: kept(value(element, "name")), hidden: /hidden$/i.test(value(element, "state")) });
  }

  return {
    watch(part) {
      const name = part.toLowerCase();
      const isMain = name === mainPart.toLowerCase();
      const ofMain = name === mainRelationships;
      return (element, vocabulary, isRoot) => {
        if (isMain && isRoot) hasMain = element.local === root && vocabulary !== "other";
        if (isMain) inMain(element);
        if (vocabulary === "package" && element.local === "Relationship") relationship(element, ofMain);
        if (
          isRoot &&
          vocabulary === "slides" &&
          element.local === "sld" &&
          /^(0|false)$/.test(value(element, "show"))
        ) {
          facts.hiddenSlides += 1;
        }
      };
    },
    finish() {
      if (!hasMain) throw broken("its main part is not what it should be");
      for (const id of listed) {
        const target = targets.get(id);
        if (target === undefined || findEntry(directory, target) === undefined) {
          throw broken("one of its sheets or slides is missing");
        }
      }
      return { ...facts, sheets };
    },
  };
}

function value(element: XmlElement, attribute: string): string {
  return element.attributes[attribute]?.value ?? "";
}

/** A piece of a large text holds all of it in memory; its copy does not. Ids and sheet names have at most 255 units. */
function kept(text: string): string {
  return Buffer.from(text.slice(0, 1_000)).toString();
}
