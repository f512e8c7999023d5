import type { OfficeFacts } from "../precheck/facts.ts";
import { reachesFar } from "../precheck/cells.ts";
import { blankTexts, withoutFarBlanks } from "./far-blanks.ts";
import type { Draft } from "./draft.ts";
import { readLocaleDates } from "./locale-dates.ts";
import { renamePrintAreas, sizeCharts, writeOutNames, writeOutPlaces } from "./sheets.ts";

/**
 * Prepares a workbook so that it prints as in Excel: hidden sheets without print areas, the document's own name in headers and
 * footers, dates in the languages of their formats, charts with a size.
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
