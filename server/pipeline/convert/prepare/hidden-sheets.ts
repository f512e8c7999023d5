import { open } from "node:fs/promises";
import { decodeXml, strictParser } from "../../../formats/xml.ts";
import { findEntry, openPackage } from "../../../formats/package.ts";
import { fileSource } from "../../../formats/file-source.ts";
import { readDirectory } from "../../../formats/zip/directory.ts";
import { readEntry } from "../../../formats/zip/entry.ts";
import { rewriteZip } from "../../../formats/zip/rewrite.ts";
import type { OfficeFacts } from "../precheck/facts.ts";
import { broken, refusal } from "../precheck/refusals.ts";

/** The part that lists sheets and names; a workbook with 20,000 sheets has some 3 MB. */
const maxWorkbookBytes = 64 * 2 ** 20;

/**
 * The file to convert: the workbook itself, or in `folder` a copy of it whose hidden sheets have no print areas. LibreOffice prints a
 * hidden sheet that has one, which Excel does not. The pre-check has read the file. Throws `DocumentError`.
 */
export async function withoutHiddenPrintAreas(
  file: string,
  { sheets }: Pick<OfficeFacts, "sheets">,
  copy: string,
): Promise<string> {
  const hidden = new Set(sheets.flatMap(({ hidden }, index) => (hidden ? [index] : [])));
  if (hidden.size === 0) return file;
  const handle = await open(file);
  try {
    const source = await fileSource(handle);
    const directory = await readDirectory(source);
    const office = await openPackage(source, directory);
    const entry = office && findEntry(directory, office.mainPart);
    if (entry === undefined) throw broken("its main part is missing");
    const workbook = decodeXml(await readEntry(source, entry, { directory, maxBytes: maxWorkbookBytes }));
    const changed = renamePrintAreas(workbook, hidden);
    if (changed === workbook) return file;
    await rewriteZip(copy, { source, directory, parts: new Map([[entry, Buffer.from(changed)]]) });
    return copy;
  } catch (cause) {
    throw refusal(cause);
  } finally {
    await handle.close();
  }
}

/** Gives the print areas of these sheets, by their place among the tabs, names that mean nothing. The result is UTF-8. */
export function renamePrintAreas(workbook: string, hidden: ReadonlySet<number>): string {
  const areas: { readonly from: number; readonly to: number }[] = [];
  const parser = strictParser(({ local, attributes }) => {
    if (local !== "definedName" || !/^_xlnm\.print_area$/i.test(attributes["name"]?.value ?? "")) return;
    if (!hidden.has(Number(attributes["localSheetId"]?.value))) return;
    // No value of an attribute has a "<" in it, so that this is where the tag begins.
    areas.push({ from: workbook.lastIndexOf("<", parser.position - 1), to: parser.position });
  });
  parser.write(workbook).close();
  let changed = "";
  let at = 0;
  for (const [index, { from, to }] of areas.entries()) {
    const tag = workbook
      .slice(from, to)
      .replace(/(\sname\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"hidden.print.area.${index}"`);
    changed += workbook.slice(at, from) + tag;
    at = to;
  }
  return at === 0 ? workbook : (changed + workbook.slice(at)).replace(/^\s*<\?xml[^>]*\?>/, "");
}
