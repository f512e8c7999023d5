import { strictParser, type XmlElement, XmlError } from "./xml.ts";

/** A range of an XML text, in units of UTF-16, its end not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sees the tags of an XML text with their places in it. */
export interface TagVisitor {
  /** The element has its attributes while this runs. */
  open(element: XmlElement, tag: Span): void;
  /** `tag`: the end tag; the whole element where it is empty (`<a/>`). */
  close?(element: XmlElement, tag: Span): void;
  text?(text: string): void;
}

/** Walks through an XML text. Throws `XmlError`. */
export function walkXml(xml: string, { open, close = () => undefined, text }: TagVisitor): void {
  // No value of an attribute has a "<" in it, so that the last one is where the tag begins.
  const tag = (): Span => ({ from: xml.lastIndexOf("<", parser.position - 1), to: parser.position });
  const parser = strictParser(
    (element) => open(element, tag()),
    (element) => close(element, tag()),
  );
  if (text !== undefined) {
    parser.on("text", text);
    parser.on("cdata", text);
  }
  parser.write(xml).close();
}

/** Changes of one text, and units of UTF-16 by which they make it longer: more than any document needs. */
const maxEdits = 1_000_000;
const maxGrowth = 32 * 2 ** 20;

/** Collects changes of a text, which are made together. Throws `XmlError` where they are too many or make it too long. */
export interface TextEdits {
  /** Puts `text` in the place of a range; nothing by default. */
  replace(range: Span, text?: string): void;
  insert(at: number, text: string): void;
  /** The changed text. Of ranges that lie in one another the outer one counts. */
  apply(text: string): string;
}

export function textEdits(): TextEdits {
  const edits: (Span & { readonly text: string })[] = [];
  let added = 0;
  function add(edit: Span & { readonly text: string }): void {
    added += edit.text.length;
    if (edits.length >= maxEdits || added > maxGrowth) throw new XmlError("limit", "too much of it is written anew");
    edits.push(edit);
  }
  return {
    replace: ({ from, to }, text = "") => add({ from, to, text }),
    insert: (at, text) => add({ from: at, to: at, text }),
    apply(text) {
      const pieces: string[] = [];
      let at = 0;
      for (const edit of edits.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
        if (edit.from < at) continue;
        pieces.push(text.slice(at, edit.from), edit.text);
        at = edit.to;
      }
      return edits.length === 0 ? text : pieces.join("") + text.slice(at);
    },
  };
}

/** An attribute by its local name, whatever its namespace; empty if there is none. */
export function attributeOf({ attributes }: XmlElement, local: string): string {
  return Object.values(attributes).find((attribute) => attribute.local === local)?.value ?? "";
}

/** A text as the content of an element or attribute. */
export const escapeText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // XML 1.0 has no other control characters, however they are written.
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "");
