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
  /** Whether the sheet is hidden in the workbook, so that it must not appear on the pages. */
  readonly hidden: boolean;
}

/** The pre-check's findings about a document, for its conversion. */
export interface OfficeFacts extends Readonly<Omit<Counts, "elements">> {
  readonly kind: DocumentKind;
  /** Uncompressed bytes of all parts. */
  readonly inflatedBytes: number;
  readonly sheets: readonly Sheet[];
  readonly slides: number;
  /** Number of slides that a slide show skips. */
  readonly hiddenSlides: number;
  readonly macros: boolean;
  /** External links that a program might follow by itself: pictures, templates and data, but not hyperlinks. */
  readonly externalLinks: number;
}

type FoundFacts = Pick<OfficeFacts, "sheets" | "slides" | "hiddenSlides" | "macros" | "externalLinks">;

/** Collects facts while the parts of a document are read. */
interface FactFinder {
  /** Returns the function to call with each element of the part. */
  watch(part: string): ElementWatch;
  /** Call this after the last part. Throws `DocumentError` if the main part is invalid or names missing parts. */
  finish(): FoundFacts;
}

export function findFacts({ mainPart, root, directory }: OfficePackage): FactFinder {
  const folder = mainPart.slice(0, mainPart.lastIndexOf("/") + 1);
  const mainRelationships = `${folder}_rels/${mainPart.slice(folder.length)}.rels`.toLowerCase();
  /** The targets of the main part's relationships, by id. */
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
    // `hidden` or `veryHidden`, which only a program can undo.
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

/**
 * Copies a piece of a large text, because a slice of it would keep the whole text in memory. Ids and sheet names have at most 255
 * units.
 */
function kept(text: string): string {
  return Buffer.from(text.slice(0, 1_000)).toString();
}
