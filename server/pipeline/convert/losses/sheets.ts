import type { OfficeParts, PartListener } from "../parts.ts";
import { attributeOf } from "../../../formats/xml-edits.ts";
import { type DateFormat, readDateFormat } from "../prepare/date-format.ts";
import { type Passage, quoted } from "./passage.ts";
import { termsOf } from "./tally.ts";

/** A sheet that is printed as a whole. */
interface ShownSheet {
  readonly name: string;
  readonly part: string;
}

/** Returns the sheets that are not hidden and have no print area, which would leave out cells. */
export async function shownSheets({ office, read, relationships }: OfficeParts): Promise<readonly ShownSheet[]> {
  const targets = await relationships(office.mainPart);
  const sheets: { name: string; part: string; isShown: boolean }[] = [];
  const areas = new Set<number>();
  await read(office.mainPart, {
    ...silent,
    open(element) {
      if (element.local === "sheet") {
        const part = targets.get(attributeOf(element, "id"))?.target ?? "";
        sheets.push({
          name: attributeOf(element, "name"),
          part,
          isShown: !/hidden$/i.test(attributeOf(element, "state")),
        });
      }
      if (element.local === "definedName" && /Print_Area$/i.test(attributeOf(element, "name")))
        areas.add(Number(attributeOf(element, "localSheetId") || -1));
    },
  });
  return sheets.filter(({ isShown }, index) => isShown && !areas.has(index));
}

/**
 * Reports the first term of each text in a cell, because a narrow column may cut off the others, and the names in localised
 * dates. Hidden rows and columns are skipped.
 */
export async function readCells(
  parts: OfficeParts,
  sheets: readonly ShownSheet[],
  report: (passage: Passage) => void,
): Promise<void> {
  const shared = await sharedTexts(parts);
  const dates = await readDates(parts);
  for (const { name, part } of sheets) {
    const where = `sheet ${quoted(name)}`;
    const [texts, names] = [{ code: "missing_words", where } as const, { code: "locale", where } as const];
    await parts.read(
      part,
      listenForCells((type, style, value) => {
        if (type === "s") report({ text: shared[Number(value)] ?? "", place: texts });
        else if (type === "inlineStr" || type === "str") report({ text: firstTerm(value), place: texts });
        else if (type === "" || type === "n") {
          const written = value.trim() === "" ? undefined : dates.write(style, Number(value));
          if (written !== undefined) report({ text: namesIn(written), place: names });
        }
      }),
    );
  }
}

/** The first day after Excel's last, 31 December 9999. */
const maxSerial = 2_958_466;
/** Maximum number of different dates to compare. */
const maxDates = 5_000;
const namesIn = (date: string): string => (date.match(/\p{L}+/gu) ?? []).join(" ");

interface Dates {
  /** Returns a date as its cell format shows it, only once; undefined if the format is not for localised dates. */
  write(style: number, serial: number): string | undefined;
}

async function readDates({ office, read, relationships }: OfficeParts): Promise<Dates> {
  const target = [...(await relationships(office.mainPart)).values()].find(({ type }) => type === "styles")?.target;
  const codes = new Map<string, string>();
  const formats: (DateFormat | undefined)[] = [];
  let [isIn1904, inCells] = [false, false];
  await read(office.mainPart, {
    ...silent,
    open(element) {
      if (element.local === "workbookPr") isIn1904 = /^(1|true|on)$/.test(attributeOf(element, "date1904"));
    },
  });
  if (target !== undefined) {
    await read(target, {
      ...silent,
      open(element) {
        const id = attributeOf(element, "numFmtId");
        if (element.local === "numFmt") codes.set(id, attributeOf(element, "formatCode"));
        if (element.local === "cellXfs") inCells = true;
        if (element.local === "xf" && inCells) formats.push(readDateFormat(codes.get(id) ?? ""));
      },
      close({ local }) {
        if (local === "cellXfs") inCells = false;
      },
    });
  }
  const seen = new Set<string>();
  return {
    write(style, serial) {
      const format = formats[style];
      const key = `${style} ${serial}`;
      if (format === undefined || seen.has(key) || seen.size >= maxDates || !(serial >= 0 && serial < maxSerial))
        return;
      seen.add(key);
      return format.format(serial, isIn1904);
    },
  };
}

async function sharedTexts({ office, read, relationships }: OfficeParts): Promise<readonly string[]> {
  const target = [...(await relationships(office.mainPart)).values()].find(({ type }) => type === "sharedStrings");
  const texts: string[] = [];
  let text = "";
  let inText = false;
  let inReading = false;
  if (target === undefined) return texts;
  await read(target.target, {
    open({ local }) {
      if (local === "si") text = "";
      if (local === "rPh") inReading = true;
      inText = local === "t";
    },
    close({ local }) {
      inText = false;
      if (local === "rPh") inReading = false;
      if (local === "si") texts.push(firstTerm(text));
    },
    text(piece) {
      if (inText && !inReading) text += piece;
    },
  });
  return texts;
}

/** Reports the type, cell format and content of each shown cell. */
function listenForCells(report: (type: string, style: number, value: string) => void): PartListener {
  const hidden: (readonly [from: number, to: number])[] = [];
  let isRowShown = true;
  let [type, style, text] = ["", 0, ""];
  let column = 0;
  let inValue = false;
  return {
    open(element) {
      const { local } = element;
      if (
        local === "col" &&
        (isTrue(attributeOf(element, "hidden")) || Number(attributeOf(element, "width") || 1) === 0)
      )
        hidden.push([Number(attributeOf(element, "min")), Number(attributeOf(element, "max"))]);
      if (local === "row") isRowShown = !isTrue(attributeOf(element, "hidden")) && attributeOf(element, "ht") !== "0";
      if (local === "c") {
        type = attributeOf(element, "t");
        style = Number(attributeOf(element, "s"));
        text = "";
        column = columnOf(attributeOf(element, "r"));
      }
      inValue = local === "v" || local === "t";
    },
    close({ local }) {
      inValue = false;
      if (local !== "c" || !isRowShown || hidden.some(([from, to]) => column >= from && column <= to)) return;
      report(type, style, text);
    },
    text(piece) {
      if (inValue) text += piece;
    },
  };
}

const silent: PartListener = { open: () => undefined, close: () => undefined, text: () => undefined };
const isTrue = (text: string): boolean => text === "1" || text === "true";
const firstTerm = (text: string): string => termsOf(text.slice(0, 200))[0] ?? "";

/** Returns the column of a cell reference, from 1; 0 if it has none. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]*/.exec(reference)?.[0] ?? "") column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
