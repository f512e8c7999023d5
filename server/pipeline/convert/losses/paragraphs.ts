import { attributeOf } from "../../../formats/xml-edits.ts";
import type { PartListener } from "../parts.ts";

/** A paragraph as a reader sees it. */
export interface Paragraph {
  readonly text: string;
  /** Whether the paragraph has a formula, or is in a box for programs that support formulas. */
  readonly hasFormula: boolean;
}

/** Fields that a program fills in when it opens the document, so that their stored results cannot be expected. */
const filledIn =
  /^\s*(date|time|(save|print|create)date|edittime|page|numpages|sectionpages|section|filename|filesize|author|lastsavedby|username|userinitials|docproperty|info|title|subject|keywords|comments|revnum|template|numwords|numchars|seq|listnum|autonum\w*|=)/i;

/** Elements whose text is not shown: deleted, moved away, or for programs that do not support the alternative. */
const leftOut: ReadonlySet<string> = new Set(["Fallback", "del", "moveFrom", "rPh"]);
const shapes: ReadonlySet<string> = new Set(["sp", "grpSp", "graphicFrame", "anchor", "inline"]);

interface Field {
  instruction: string;
  isResult: boolean;
}

/**
 * Reports the paragraphs of a text document or slide. Text in a box is reported separately from the paragraph that anchors the
 * box.
 */
export function listenForParagraphs(
  report: (paragraph: Paragraph) => void,
  onChunk: (relationshipId: string) => void = () => undefined,
): PartListener {
  const open: { text: string; hasFormula: boolean }[] = [];
  const fields: Field[] = [];
  const hiddenShapes: boolean[] = [];
  const choices: boolean[] = [];
  const simpleFields: boolean[] = [];
  let outside = 0;
  let inText = false;
  let inInstruction = false;
  let isHidden = false;

  const isShown = (): boolean =>
    outside === 0 &&
    !isHidden &&
    !hiddenShapes.includes(true) &&
    !simpleFields.includes(true) &&
    fields.every(({ instruction, isResult }) => isResult && !filledIn.test(instruction));
  const append = (text: string): void => {
    const paragraph = open.at(-1);
    if (paragraph !== undefined) paragraph.text += text;
  };

  function fieldMark(type: string): void {
    const field = fields.at(-1);
    if (type === "begin") fields.push({ instruction: "", isResult: false });
    else if (type === "separate" && field !== undefined) field.isResult = true;
    else if (type === "end") fields.pop();
  }

  return {
    open(element) {
      const { local, uri } = element;
      if (leftOut.has(local)) outside += 1;
      if (shapes.has(local)) hiddenShapes.push(isOn(attributeOf(element, "hidden")));
      if ((local === "cNvPr" || local === "docPr") && isOn(attributeOf(element, "hidden")) && hiddenShapes.length > 0)
        hiddenShapes[hiddenShapes.length - 1] = true;
      if (local === "Choice") choices.push(/\ba14\b/.test(attributeOf(element, "Requires")));
      if (local === "p") open.push({ text: "", hasFormula: choices.includes(true) });
      if (local === "r") isHidden = false;
      if (local === "vanish") isHidden = !/^(0|false|off)$/.test(attributeOf(element, "val"));
      if (local === "fldChar") fieldMark(attributeOf(element, "fldCharType"));
      if (local === "fldSimple") simpleFields.push(filledIn.test(attributeOf(element, "instr")));
      // Numbers and dates of slides.
      if (local === "fld") simpleFields.push(true);
      if (local === "oMath") for (const paragraph of open.slice(-1)) paragraph.hasFormula = true;
      if (local === "altChunk" && outside === 0) onChunk(attributeOf(element, "id"));
      if (local === "tab" || local === "br" || local === "cr") append(" ");
      inText = local === "t" && !uri.endsWith("/math");
      inInstruction = local === "instrText";
    },
    close({ local }) {
      inText = false;
      inInstruction = false;
      if (leftOut.has(local)) outside -= 1;
      if (shapes.has(local)) hiddenShapes.pop();
      if (local === "Choice") choices.pop();
      if (local === "fldSimple" || local === "fld") simpleFields.pop();
      if (local !== "p") return;
      const paragraph = open.pop();
      if (paragraph !== undefined && paragraph.text.trim() !== "") report(paragraph);
    },
    text(text) {
      const field = fields.at(-1);
      if (inInstruction && field !== undefined && field.instruction.length < 100) field.instruction += text;
      if (inText && isShown()) append(text);
    },
  };
}

const isOn = (text: string): boolean => /^(1|true|on)$/.test(text);
