import type { XmlElement } from "../../../formats/xml.ts";
import type { PrecheckLimits } from "./limits.ts";
import { tooMany } from "./refusals.ts";
import { placeOf } from "./cells.ts";

/** The vocabulary of an XML part, by the namespace of its root. */
export type Vocabulary = "word" | "slides" | "sheets" | "drawing" | "package" | "other";

/** Namespaces of ECMA-376, transitional and strict; the package conventions have one for each of their lists. */
const vocabularies: readonly [pattern: RegExp, vocabulary: Vocabulary][] = [
  [/\/wordprocessingml\/(2006\/)?main$/, "word"],
  [/\/presentationml\/(2006\/)?main$/, "slides"],
  [/\/spreadsheetml\/(2006\/)?main$/, "sheets"],
  [/\/drawingml\/(2006\/)?[a-zA-Z]+$/, "drawing"],
  [/\/package\/2006\/(relationships|content-types)$/, "package"],
];

export function vocabularyOf(namespace: string): Vocabulary {
  const isOffice = /^http:\/\/(schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\//.test(namespace);
  return (isOffice && vocabularies.find(([pattern]) => pattern.test(namespace))?.[1]) || "other";
}

/** Totals over all parts of a document. */
export interface Counts {
  elements: number;
  paragraphs: number;
  cells: number;
  shapes: number;
  characters: number;
  /** The visible characters of a text document or slides; 0 for spreadsheets. */
  shownCharacters: number;
  /** Last row and column, from 1, of the sheet whose cells span the largest rectangle from A1; 0 if there are no cells. */
  lastRow: number;
  lastColumn: number;
}

export const noCounts = (): Counts => ({
  elements: 0,
  paragraphs: 0,
  cells: 0,
  shapes: 0,
  characters: 0,
  shownCharacters: 0,
  lastRow: 0,
  lastColumn: 0,
});

const shapeNames: ReadonlySet<string> = new Set(["sp", "pic", "graphicFrame", "cxnSp"]);

/** Adds one part to the counts of its document and enforces the limits. Its methods throw `DocumentError`. */
export interface PartTally {
  element(element: XmlElement): void;
  text(text: string): void;
}

export function tallyPart(vocabulary: Vocabulary, counts: Counts, limits: PrecheckLimits): PartTally {
  let inCell = 0;
  let lastRow = 0;
  let lastColumn = 0;
  const shown = vocabulary === "word" || vocabulary === "slides" ? watchShownText() : undefined;

  const countElement: Record<Vocabulary, (element: XmlElement) => void> = {
    word: ({ local }) => {
      if (local === "p") countParagraph();
    },
    slides: ({ local }) => {
      if (local === "p") countParagraph();
      if (shapeNames.has(local) && ++counts.shapes > limits.shapes) throw tooMany(limits.shapes, "shapes");
    },
    sheets: (element) => {
      const { local } = element;
      if (local === "c" || local === "si") inCell = 0;
      if (local === "c") reach(element.attributes["r"]?.value ?? "");
      if ((local === "c" || local === "row") && ++counts.cells > limits.cells) {
        throw tooMany(limits.cells, "cells and rows");
      }
    },
    drawing: () => {},
    package: () => {},
    other: () => {},
  };
  const countParagraph = (): void => {
    if (++counts.paragraphs > limits.paragraphs) throw tooMany(limits.paragraphs, "paragraphs");
  };
  const reach = (cell: string): void => {
    const { row, column } = placeOf(cell);
    lastRow = Math.max(lastRow, row);
    lastColumn = Math.max(lastColumn, column);
    if (lastRow * lastColumn <= counts.lastRow * counts.lastColumn) return;
    counts.lastRow = lastRow;
    counts.lastColumn = lastColumn;
  };
  const count = countElement[vocabulary];

  return {
    element(element) {
      if (++counts.elements > limits.elements) throw tooMany(limits.elements, "elements");
      count(element);
      shown?.element(element);
    },
    text(text) {
      counts.characters += text.length;
      if (counts.characters > limits.characters) throw tooMany(limits.characters, "characters");
      counts.shownCharacters += shown?.count(text) ?? 0;
      if (vocabulary !== "sheets") return;
      inCell += text.length;
      if (inCell > limits.cellCharacters) throw tooMany(limits.cellCharacters, "characters in one cell");
    },
  };
}

/** Distinguishes visible text from text that only programs read. */
interface ShownText {
  element(element: XmlElement): void;
  /** Returns the number of visible characters of the text, without spaces. */
  count(text: string): number;
}

const runOrShape: ReadonlySet<string> = new Set(["r", "sp"]);

const isOff = ({ local, value }: XmlElement["attributes"][string]): boolean =>
  local === "val" && /^(0|false|off)$/.test(value);

/**
 * Watches one part. The body of a text document and the slides that are shown are visible, but not properties, styles, masters,
 * layouts, field codes, deletions, or text marked as hidden.
 */
function watchShownText(): ShownText {
  let isShown: boolean | undefined;
  let isHidden = false;
  let inText = false;
  return {
    element({ local, attributes }) {
      // The first element tells the type of the part.
      isShown ??= local === "document" || (local === "sld" && !/^(0|false)$/.test(attributes["show"]?.value ?? ""));
      if (runOrShape.has(local)) isHidden = false;
      if (local === "vanish") isHidden = !Object.values(attributes).some(isOff);
      inText = local === "t";
    },
    count: (text) => (isShown === true && inText && !isHidden ? text.replaceAll(/\s/gu, "").length : 0),
  };
}
