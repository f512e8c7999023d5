import { attributeOf, escapeText, textEdits, walkXml } from "../../../formats/xml-edits.ts";
import type { XmlElement } from "../../../formats/xml.ts";
import type { Draft } from "./draft.ts";

/**
 * Makes boxes with formulas show their words, and the formulas as text: converters show only the alternative, which is a picture
 * at best.
 */
export async function prepareSlides(draft: Draft): Promise<void> {
  const { office, relationships, change } = draft;
  for (const { type, target } of (await relationships(office.mainPart)).values()) {
    if (type === "slide") await change(target, writeOutFormulas);
  }
}

/** Shapes in several forms (ECMA-376 Part 3, 7.5). */
interface Alternatives {
  readonly from: number;
  readonly namespaces: Namespaces;
  readonly depth: number;
  /** The form for programs that support formulas. */
  choice?: { readonly namespaces: Namespaces; readonly from: number; to: number };
  hasFormula: boolean;
  /** The positions in that form's shapes where namespaces can be inserted. */
  readonly shapes: { readonly at: number; readonly own: Namespaces }[];
}
type Namespaces = Readonly<Record<string, string>>;

const drawing = "http://schemas.openxmlformats.org/drawingml/2006/main";
const isFormula = ({ local, uri }: XmlElement): boolean => local === "m" && uri.endsWith("/drawing/2010/main");

/** Replaces the alternative forms of a shape by the form with formulas, and writes those formulas as text. */
export function writeOutFormulas(xml: string): string {
  if (!/Requires\s*=\s*["'][^"']*\ba14\b/.test(xml)) return xml;
  const edits = textEdits();
  const open: Alternatives[] = [];
  let formula: { readonly from: number; text: string } | undefined;
  let depth = 0;
  let inText = false;

  function take({ from, choice, namespaces, shapes }: Alternatives, to: number): void {
    if (choice === undefined) return;
    edits.replace({ from, to: choice.from });
    edits.replace({ from: choice.to, to });
    const declared = Object.entries({ ...namespaces, ...choice.namespaces });
    for (const { at, own } of shapes) {
      const missing = declared.filter(([prefix]) => own[prefix] === undefined);
      edits.insert(at, missing.map(([prefix, uri]) => ` xmlns${prefix && ":"}${prefix}="${escapeText(uri)}"`).join(""));
    }
  }

  walkXml(xml, {
    open(element, tag) {
      const { local, name, ns } = element;
      const around = open.at(-1);
      depth += 1;
      if (around?.choice !== undefined && around.choice.to === 0 && depth === around.depth + 2)
        around.shapes.push({ at: tag.from + 1 + name.length, own: { ...ns } });
      if (local === "AlternateContent")
        open.push({ from: tag.from, namespaces: { ...ns }, depth, hasFormula: false, shapes: [] });
      else if (local === "Choice" && around && !around.choice && /\ba14\b/.test(attributeOf(element, "Requires")))
        around.choice = { namespaces: { ...ns }, from: tag.to, to: 0 };
      if (isFormula(element)) formula = { from: tag.from, text: "" };
      inText = local === "t" && element.uri.endsWith("/math");
      if (formula) formula.text += before[local] ?? "";
    },
    text(text) {
      if (inText && formula) formula.text += text;
    },
    close(element, tag) {
      const { local } = element;
      const around = open.at(-1);
      depth -= 1;
      inText = false;
      if (isFormula(element) && formula) {
        if (around?.choice) {
          around.hasFormula = true;
          const run = `<a:r xmlns:a="${drawing}"><a:t>${escapeText(formula.text)}</a:t></a:r>`;
          edits.replace({ from: formula.from, to: tag.to }, run);
        }
        formula = undefined;
      }
      if (local === "Choice" && around?.choice?.to === 0 && depth === around.depth) around.choice.to = tag.from;
      if (local === "AlternateContent") {
        open.pop();
        if (around?.hasFormula === true) take(around, tag.to);
      }
    },
  });
  return edits.apply(xml);
}

/** Signs of a formula on one line: a fraction, a root, superscript and subscript. */
const before: Readonly<Record<string, string>> = { sup: "^", sub: "_", rad: "√", den: "/" };
