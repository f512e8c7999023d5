import type { OfficeFacts } from "../precheck/facts.ts";
import { placeOf, reachesFar } from "../precheck/cells.ts";
import type { Draft } from "./draft.ts";
import { readLocaleDates } from "./locale-dates.ts";
import { renamePrintAreas, sizeCharts, writeOutNames, writeOutPlaces } from "./sheets.ts";
import { attributeOf, type Span, textEdits, walkXml } from "../../../formats/xml-edits.ts";

/**
 * Prepares a workbook so that it prints as in Excel: disables the print areas of hidden sheets, and writes out the document's
 * name in headers and footers, dates in the languages of their formats, and the sizes of charts.
 */
export async function prepareWorkbook(
  draft: Draft,
  facts: Pick<OfficeFacts, "sheets" | "cells" | "lastRow" | "lastColumn">,
  fileName: string,
): Promise<void> {
  const { mainPart } = draft.office;
  const hidden = new Set(facts.sheets.flatMap(({ hidden }, index) => (hidden ? [index] : [])));
  if (hidden.size > 0) await draft.change(mainPart, (xml) => renamePrintAreas(xml, hidden));

  const related = [...(await draft.relationships(mainPart)).values()];
  const sheets = related
    .filter(({ type }) => type === "worksheet" || type === "chartsheet")
    .map(({ target }) => target);
  const blank = reachesFar(facts) ? await blankTexts(draft) : undefined;
  const dates = await readLocaleDates(draft);
  // All changes of a sheet are made at once, because it may be large.
  const written = (xml: string): string => {
    const named = writeOutPlaces(writeOutNames(xml, fileName));
    const near = blank === undefined ? named : withoutFarBlanks(named, blank);
    return dates === undefined ? near : dates.writeOut(near);
  };
  for (const sheet of new Set(sheets)) {
    await draft.change(sheet, written);
    for (const { type, target } of (await draft.relationships(sheet)).values())
      if (type === "drawing") await draft.change(target, sizeCharts);
  }
  await dates?.finish();
}

/** Returns the indices of a workbook's shared texts that are only white space. */
async function blankTexts({ office, relationships, read }: Draft): Promise<ReadonlySet<string>> {
  const blank = new Set<string>();
  const shared = [...(await relationships(office.mainPart)).values()].find(({ type }) => type === "sharedStrings");
  if (shared === undefined) return blank;
  let number = 0;
  let isBlank = true;
  await read(shared.target, {
    open({ local }) {
      if (local === "si") isBlank = true;
    },
    text(text) {
      if (/\S/.test(text)) isBlank = false;
    },
    close({ local }) {
      if (local !== "si") return;
      if (isBlank) blank.add(String(number));
      number += 1;
    },
  });
  return blank;
}

interface Cell {
  readonly tag: Span;
  readonly row: number;
  readonly column: number;
  readonly isShared: boolean;
  value: string;
  hasFormula: boolean;
}

/**
 * Removes the blank cells of a sheet that are below or to the right of all others: a converter takes minutes to print the
 * empty pages in between, and nobody wants them.
 */
function withoutFarBlanks(sheet: string, blankTexts: ReadonlySet<string>): string {
  const blanks: { readonly row: number; readonly column: number; readonly range: Span }[] = [];
  const last = { row: 0, column: 0 };
  let cell: Cell | undefined;
  let inValue = false;
  walkXml(sheet, {
    open(element, tag) {
      const { local } = element;
      if (local === "c") {
        const isShared = attributeOf(element, "t") === "s";
        cell = { tag, ...placeOf(attributeOf(element, "r")), isShared, value: "", hasFormula: false };
      }
      if (local === "f" && cell) cell.hasFormula = true;
      inValue = local === "v" || local === "t";
    },
    text(text) {
      if (inValue && cell && cell.value.length < 100) cell.value += text;
    },
    close({ local }, tag) {
      inValue = false;
      if (local !== "c" || cell === undefined) return;
      const { row, column, value, isShared, hasFormula } = cell;
      const isBlank = !hasFormula && (isShared ? blankTexts.has(value.trim()) : !/\S/.test(value));
      if (isBlank) blanks.push({ row, column, range: { from: cell.tag.from, to: tag.to } });
      else {
        last.row = Math.max(last.row, row);
        last.column = Math.max(last.column, column);
      }
      cell = undefined;
    },
  });
  const edits = textEdits();
  for (const { row, column, range } of blanks) if (row > last.row || column > last.column) edits.replace(range);
  return edits.apply(sheet);
}
