import { strictParser, type XmlElement, XmlError } from "./xml.ts";

/** A range of an XML text, in UTF-16 units; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Receives the tags of an XML text with their positions. */
interface TagVisitor {
  /** The attributes of the element are available only during this call. */
  open(element: XmlElement, tag: Span): void;
  /** `tag` is the end tag, or the whole element if it is empty (`<a/>`). */
  close?(element: XmlElement, tag: Span): void;
  text?(text: string): void;
}

/** Walks through an XML text. Throws `XmlError`. */
export function walkXml(xml: string, { open, close = () => undefined, text }: TagVisitor): void {
  // An attribute value never contains "<", so the last one is where the tag begins.
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

/** Maximum number of edits of one text, and maximum UTF-16 units that they add: more than any document needs. */
const maxEdits = 1_000_000;
const maxGrowth = 32 * 2 ** 20;

/**
 * Collects edits of a text and applies them together. Throws `XmlError` if there are too many or they add too much
 * text.
 */
export interface TextEdits {
  /** Replaces a range by `text`; removes it by default. */
  replace(range: Span, text?: string): void;
  insert(at: number, text: string): void;
  /** Returns the edited text. If ranges are nested, only the outermost one is replaced. */
  apply(text: string): string;
}

export function textEdits(): TextEdits {
  const edits: (Span & { readonly text: string })[] = [];
  let added = 0;
  function add(edit: Span & { readonly text: string }): void {
    added += edit.text.length;
    if (edits.length >= maxEdits || added > maxGrowth) throw new XmlError("limit", "it needs too many changes");
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

/** Returns the value of an attribute by its local name, in any namespace; empty if there is none. */
export function attributeOf({ attributes }: XmlElement, local: string): string {
  return Object.values(attributes).find((attribute) => attribute.local === local)?.value ?? "";
}

/** Escapes a text for the content of an element or attribute. */
export const escapeText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // XML 1.0 does not allow other control characters, not even escaped.
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "");
