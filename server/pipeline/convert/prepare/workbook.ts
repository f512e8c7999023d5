import type { OfficeFacts } from "../precheck/facts.ts";
import { reachesFar } from "../precheck/cells.ts";
import { blankTexts, withoutFarBlanks } from "./far-blanks.ts";
import type { Draft } from "./draft.ts";
import { writeOutDates } from "./locale-dates.ts";
import { renamePrintAreas, sizeCharts, writeOutNames, writeOutPlaces } from "./sheets.ts";

/**
 * A workbook as Excel prints it: hidden sheets without print areas, the document's own name in headers and footers, dates in the
 * languages of their formats, charts with a size.
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
  for (const sheet of new Set(sheets)) {
    await draft.change(sheet, (xml) => writeOutPlaces(writeOutNames(xml, fileName)));
    if (blank !== undefined) await draft.change(sheet, (xml) => withoutFarBlanks(xml, blank));
    for (const { type, target } of (await draft.relationships(sheet)).values())
      if (type === "drawing") await draft.change(target, sizeCharts);
  }
  await writeOutDates(draft, sheets);
}
