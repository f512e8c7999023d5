import { attributeOf, escapeText, textEdits, walkXml } from "../../../formats/xml-edits.ts";

/**
 * Renames the print areas of these sheets, given by their tab index, to meaningless names: LibreOffice, unlike Excel, prints a
 * hidden sheet that has a print area.
 */
export function renamePrintAreas(workbook: string, hidden: ReadonlySet<number>): string {
  const edits = textEdits();
  let count = 0;
  walkXml(workbook, {
    open({ local, attributes }, tag) {
      if (local !== "definedName" || !/^_xlnm\.print_area$/i.test(attributes["name"]?.value ?? "")) return;
      if (!hidden.has(Number(attributes["localSheetId"]?.value))) return;
      const renamed = workbook
        .slice(tag.from, tag.to)
        .replace(/(\sname\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"hidden.print.area.${count++}"`);
      edits.replace(tag, renamed);
    },
  });
  return edits.apply(workbook);
}

const headers: ReadonlySet<string> = new Set(
  "oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter".split(" "),
);
/** The codes of a header (ECMA-376 Part 1, 18.3.1.46): a font or colour, a size, an ampersand, or a letter. */
const headerCode = /&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|[^])/g;

/** Maximum UTF-16 units; Excel allows 255. */
const maxHeader = 2_000;

/**
 * Replaces the codes for the file's name in the headers and footers of a sheet by the document's name, and removes the codes for
 * the folder.
 */
export function writeOutNames(sheet: string, fileName: string): string {
  if (!/<(\w+:)?(odd|even|first)(Header|Footer)\b/.test(sheet)) return sheet;
  const edits = textEdits();
  const name = fileName.replaceAll("&", "&&");
  let header: { readonly from: number; text: string } | undefined;
  walkXml(sheet, {
    open({ local }, tag) {
      if (headers.has(local)) header = { from: tag.to, text: "" };
    },
    text(text) {
      if (header) header.text += text;
    },
    close({ local }, tag) {
      if (!headers.has(local) || header === undefined) return;
      const { from, text } = header;
      header = undefined;
      if (text.length > maxHeader) return;
      let before = "";
      const written = text.replace(headerCode, (code) => {
        // A digit after the font size would become part of it.
        const space = /^&\d+$/.test(before) && /^\d/.test(name) ? " " : "";
        before = code;
        return code === "&F" ? space + name : code === "&Z" ? "" : code;
      });
      if (written !== text) edits.replace({ from, to: tag.from }, escapeText(written));
    },
  });
  return edits.apply(sheet);
}

/** Removes formulas that return the file's location and leaves the results that Excel has stored. */
export function writeOutPlaces(sheet: string): string {
  if (!/<(\w+:)?f[\s>][^<]*\b(cell|info)\s*\(/i.test(sheet)) return sheet;
  const edits = textEdits();
  let formula: { readonly from: number; text: string } | undefined;
  walkXml(sheet, {
    open({ local }, tag) {
      if (local === "f") formula = { from: tag.from, text: "" };
    },
    text(text) {
      if (formula) formula.text += text;
    },
    close({ local }, tag) {
      if (local !== "f" || formula === undefined) return;
      if (/\b(cell|info)\s*\(/i.test(formula.text)) edits.replace({ from: formula.from, to: tag.to });
      formula = undefined;
    },
  });
  return edits.apply(sheet);
}

/** Excel's printable area of US letter paper in landscape, in EMU. */
const chartSize = { cx: 9_300_000, cy: 6_070_000 };

/** Gives a size to charts that have none, because programs may leave the size of a chart sheet to the reader. */
export function sizeCharts(drawing: string): string {
  if (!/<(\w+:)?absoluteAnchor\b/.test(drawing)) return drawing;
  const edits = textEdits();
  const path: string[] = [];
  walkXml(drawing, {
    open(element, tag) {
      const isEmpty = Number(attributeOf(element, "cx")) <= 0 || Number(attributeOf(element, "cy")) <= 0;
      if (element.local === "ext" && path.at(-1) === "absoluteAnchor" && isEmpty) {
        const { cx, cy } = chartSize;
        edits.replace(tag, `<${element.name} cx="${cx}" cy="${cy}"${element.isSelfClosing ? "/" : ""}>`);
      }
      path.push(element.local);
    },
    close: () => void path.pop(),
  });
  return edits.apply(drawing);
}
