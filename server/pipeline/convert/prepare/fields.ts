import { attributeOf, escapeText, type Span, textEdits, walkXml } from "../../../formats/xml-edits.ts";
import { XmlError } from "../../../formats/xml.ts";

/**
 * Fields whose stored results are better than those that a converter computes, because it lacks what Word knew: a deleted
 * bookmark, a database, a file name (ECMA-376 Part 1, 17.16.5). Fields that depend on the layout or the day remain, as do
 * structural ones: links, tables of contents, forms.
 */
const writtenOut =
  /^\s*(ref|pageref|noteref|filename|filesize|seq|if|compare|quote|includetext|mergefield|mergerec|mergeseq|next|nextif|skipif|addressblock|greetingline|database|docvariable|docproperty|info|title|subject|author|keywords|comments|lastsavedby|template|revnum|numwords|numchars|edittime|createdate|savedate|printdate|username|userinitials|useraddress|autotext|autotextlist|ask|fillin|set|citation|listnum|=)(?![a-z])/i;
const namesFile = /^\s*filename(?![a-z])/i;

/** Elements that runs contain between the marks of a field. */
const inRuns: ReadonlySet<string> = new Set([
  "t",
  "tab",
  "br",
  "cr",
  "noBreakHyphen",
  "softHyphen",
  "sym",
  "instrText",
]);

interface Field {
  instruction: string;
  readonly begin: Span;
  separate?: Span;
  /** The places of the instruction and of the result in the XML. */
  readonly code: Span[];
  readonly result: Span[];
}

/**
 * Removes from a part of a text document the fields that a converter would recompute, and leaves their stored results. A field
 * for the file name gets the document's name.
 */
export function writeOutFields(xml: string, fileName: string): string {
  if (!/<(\w+:)?(fldChar|fldSimple)\b/.test(xml)) return xml;
  const edits = textEdits();
  const fields: Field[] = [];
  const simple: { readonly isOut: boolean; readonly names: boolean; readonly tag: Span; readonly prefix: string }[] =
    [];
  const openMarks: { readonly type: string; readonly from: number; readonly prefix: string }[] = [];
  let piece: { readonly from: number } | undefined;
  let instruction = "";

  function mark(type: string, tag: Span, prefix: string): void {
    const field = fields.at(-1);
    // Each field passes its pieces to the one around it.
    if (fields.length > maxNested) throw new XmlError("limit", "its fields are nested too deep");
    if (type === "begin") fields.push({ instruction: "", begin: tag, code: [], result: [] });
    else if (type === "separate" && field !== undefined) field.separate ??= tag;
    else if (type === "end" && field !== undefined) {
      fields.pop();
      const { separate } = field;
      const isName = namesFile.test(field.instruction);
      const marks = [field.begin, ...(separate ? [separate] : []), tag];
      const { code, result } = field;
      const parent = fields.at(-1);
      if (parent !== undefined && parent.separate === undefined) {
        // A field inside another field's instruction is invisible.
        for (const range of [...marks, ...code, ...result]) parent.code.push(range);
        return;
      }
      for (const range of result) parent?.result.push(range);
      if (!writtenOut.test(field.instruction) || (separate === undefined && !isName)) return;
      for (const range of [...marks.slice(0, -1), ...code, ...(isName ? result : [])]) edits.replace(range);
      edits.replace(tag, isName ? textElement(prefix, fileName) : "");
    }
  }

  walkXml(xml, {
    open(element, tag) {
      const { local, prefix } = element;
      if (local === "fldChar") openMarks.push({ type: attributeOf(element, "fldCharType"), from: tag.from, prefix });
      if (inRuns.has(local)) {
        piece = tag;
        instruction = "";
      }
      if (local === "fldSimple") {
        const code = attributeOf(element, "instr");
        const names = namesFile.test(code);
        simple.push({ isOut: writtenOut.test(code), names, tag, prefix });
      }
    },
    text(text) {
      if (piece !== undefined && instruction.length < maxInstruction) instruction += text;
    },
    close({ local }, tag) {
      const field = fields.at(-1);
      if (local === "fldChar") {
        const opened = openMarks.pop();
        if (opened) mark(opened.type, { from: opened.from, to: tag.to }, opened.prefix);
      } else if (inRuns.has(local) && piece !== undefined) {
        const range = { from: piece.from, to: tag.to };
        piece = undefined;
        if (field !== undefined) {
          (field.separate === undefined ? field.code : field.result).push(range);
          if (local === "instrText" && field.separate === undefined && field.instruction.length < maxInstruction)
            field.instruction += instruction;
        }
      } else if (local === "fldSimple") {
        const opened = simple.pop();
        if (opened === undefined || !opened.isOut) return;
        if (opened.names) {
          const run = `<${tagName(opened.prefix, "r")}>${textElement(opened.prefix, fileName)}</${tagName(opened.prefix, "r")}>`;
          edits.replace({ from: opened.tag.from, to: tag.to }, run);
        } else if (tag.from !== opened.tag.from) {
          edits.replace(opened.tag);
          edits.replace(tag);
        }
      }
    },
  });
  return edits.apply(xml);
}

/** Maximum nested fields; Word allows 20. */
const maxNested = 50;
/** Characters that are enough to recognise the kind of field. */
const maxInstruction = 200;

const tagName = (prefix: string, local: string): string => (prefix === "" ? local : `${prefix}:${local}`);

function textElement(prefix: string, text: string): string {
  const name = tagName(prefix, "t");
  return `<${name} xml:space="preserve">${escapeText(text)}</${name}>`;
}
