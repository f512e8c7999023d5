import { attributeOf, escapeText, type Span, type TextEdits, textEdits, walkXml } from "../../../formats/xml-edits.ts";
import type { XmlElement } from "../../../formats/xml.ts";
import { type DateFormat, readDateFormat } from "./date-format.ts";
import type { Draft } from "./draft.ts";

/** Maximum cell formats that are added to a workbook, which may have 64,000 in all. Further dates become texts. */
const maxDates = 5_000;

/** A cell format of a workbook, `xf` in `cellXfs` (ECMA-376 Part 1, 18.8.45), whose number format is for localised dates. */
interface CellFormat {
  readonly format: DateFormat;
  /** The element's source. */
  readonly xml: string;
}

interface Styles {
  readonly byNumber: ReadonlyMap<number, CellFormat>;
  readonly count: number;
  readonly highestId: number;
}

/** Writes localised dates as text. */
interface LocaleDates {
  /** Gives each date of a sheet a format that consists of its text. */
  writeOut(sheet: string): string;
  /** Adds the formats to the workbook. Call this after the last sheet. */
  finish(): Promise<void>;
}

/**
 * Gives cells with localised dates a number format that consists of their text, because converters lack the names of months, days
 * and eras, and the digits. The values remain numbers. Returns undefined if the workbook has no such formats.
 */
export async function readLocaleDates(draft: Draft): Promise<LocaleDates | undefined> {
  const { office, relationships } = draft;
  const part = [...(await relationships(office.mainPart)).values()].find(({ type }) => type === "styles")?.target;
  if (part === undefined) return undefined;
  let styles: Styles | undefined;
  await draft.change(part, (xml) => {
    styles = readStyles(xml);
    return xml;
  });
  if (styles === undefined || styles.byNumber.size === 0) return undefined;
  const { byNumber, count, highestId } = styles;
  const is1904 = await countsFrom1904(draft);
  const made = new Map<string, { readonly of: CellFormat; readonly text: string; readonly number: number }>();
  const restyle: Restyle = (style, serial) => {
    const of = byNumber.get(Number(style));
    if (of === undefined) return undefined;
    const text = of.format.format(serial, is1904);
    const key = `${style} ${text}`;
    if (!made.has(key) && made.size < maxDates) made.set(key, { of, text, number: count + made.size });
    return made.get(key) ?? { text };
  };
  return {
    writeOut: (sheet) => restyleCells(sheet, restyle),
    finish: () => draft.change(part, (xml) => addFormats(xml, [...made.values()], highestId + 1)),
  };
}

async function countsFrom1904({ office, read }: Draft): Promise<boolean> {
  let found = false;
  await read(office.mainPart, {
    open(element) {
      if (element.local === "workbookPr") found = /^(1|true|on)$/.test(attributeOf(element, "date1904"));
    },
    close: () => undefined,
    text: () => undefined,
  });
  return found;
}

function readStyles(xml: string): Styles {
  const codes = new Map<number, string>();
  const byNumber = new Map<number, CellFormat>();
  let [count, highestId, inCellFormats] = [0, 200, false];
  let open: { readonly from: number; readonly id: number } | undefined;
  walkXml(xml, {
    open(element, tag) {
      if (element.local === "numFmt") {
        const id = Number(attributeOf(element, "numFmtId"));
        codes.set(id, attributeOf(element, "formatCode"));
        highestId = Math.max(highestId, id);
      }
      if (element.local === "cellXfs") inCellFormats = true;
      if (element.local === "xf" && inCellFormats)
        open = { from: tag.from, id: Number(attributeOf(element, "numFmtId")) };
    },
    close({ local }, tag) {
      if (local === "cellXfs") inCellFormats = false;
      if (local !== "xf" || open === undefined) return;
      const format = readDateFormat(codes.get(open.id) ?? "");
      if (format !== undefined) byNumber.set(count, { format, xml: xml.slice(open.from, tag.to) });
      count += 1;
      open = undefined;
    },
  });
  return { byNumber, count, highestId };
}

/**
 * Returns a date's text, and the number of the cell format for this text, if any. Undefined if the style is not for localised
 * dates.
 */
type Restyle = (style: string, serial: number) => { readonly text: string; readonly number?: number } | undefined;

function restyleCells(xml: string, restyle: Restyle): string {
  const edits = textEdits();
  let cell: { readonly tag: Span; readonly style: string; value: string; from: number; to: number } | undefined;
  let inValue = false;
  walkXml(xml, {
    open(element, tag) {
      const { local } = element;
      if (local === "c") {
        const isNumber = /^n?$/.test(attributeOf(element, "t"));
        cell = isNumber ? { tag, style: attributeOf(element, "s"), value: "", from: 0, to: 0 } : undefined;
      }
      inValue = local === "v";
      if (inValue && cell) cell.from = tag.to;
    },
    text(text) {
      if (inValue && cell && cell.value.length < 100) cell.value += text;
    },
    close({ local }, closing) {
      inValue = false;
      if (local === "v" && cell) cell.to = closing.from;
      if (local !== "c" || cell === undefined) return;
      const { tag, style, value, from, to } = cell;
      cell = undefined;
      const serial = Number(value);
      // Excel's last day is 31 December 9999.
      if (value.trim() === "" || !(serial >= 0 && serial < 2_958_466)) return;
      const found = restyle(style, serial);
      if (found === undefined) return;
      const written = xml.slice(tag.from, tag.to);
      if (found.number === undefined) {
        edits.replace(tag, written.replace(/\st\s*=\s*(?:"[^"]*"|'[^']*')/, "").replace(/^<[\w:]+/, `$& t="str"`));
        edits.replace({ from, to }, escapeText(found.text));
      } else {
        edits.replace(tag, written.replace(/(\ss\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"${found.number}"`));
      }
    },
  });
  return edits.apply(xml);
}

/** Adds a number format and a cell format for each text, in their order of appearance. */
function addFormats(
  xml: string,
  made: readonly { readonly of: CellFormat; readonly text: string }[],
  firstId: number,
): string {
  if (made.length === 0) return xml;
  const edits = textEdits();
  walkXml(xml, {
    open(element, tag) {
      if (element.local === "numFmts" || element.local === "cellXfs") recount(edits, xml, element, tag, made.length);
    },
    close({ local, prefix }, tag) {
      const name = prefix === "" ? "numFmt" : `${prefix}:numFmt`;
      const formats = made.map(({ text }, index) => {
        const code = `"${text.replaceAll('"', '"\\""')}"`;
        return `<${name} numFmtId="${firstId + index}" formatCode="${escapeText(code)}"/>`;
      });
      if (local === "numFmts") edits.insert(tag.from, formats.join(""));
      if (local === "cellXfs") {
        const cells = made.map(({ of }, index) => withNumberFormat(of.xml, firstId + index));
        edits.insert(tag.from, cells.join(""));
      }
    },
  });
  return edits.apply(xml);
}

function recount(edits: TextEdits, xml: string, { attributes }: XmlElement, tag: Span, more: number): void {
  const count = Number(attributes["count"]?.value);
  if (!Number.isInteger(count)) return;
  const changed = xml.slice(tag.from, tag.to).replace(/(\scount\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"${count + more}"`);
  edits.replace(tag, changed);
}

const withNumberFormat = (xf: string, id: number): string =>
  xf
    .replace(/(\snumFmtId\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"${id}"`)
    .replace(/\sapplyNumberFormat\s*=\s*(?:"[^"]*"|'[^']*')/, "")
    .replace(/^<([\w:]+)/, `<$1 applyNumberFormat="1"`);
