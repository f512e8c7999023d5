import { TextDecoder } from "node:util";
import { SaxesParser, type SaxesTagNS } from "saxes";

/**
 * Thrown for XML that no Office program writes: not well-formed, or with a document type. The message gives the
 * reason.
 */
export class XmlError extends Error {
  readonly fault: "malformed" | "doctype" | "limit";

  constructor(fault: "malformed" | "doctype" | "limit", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "XmlError";
    this.fault = fault;
  }
}

/** Deeper than Office nests: tables within tables, shapes within shapes. */
const maxDepth = 500;
/** The main part of a Word document declares some 40 namespaces, which is the most there is. */
const maxAttributes = 250;
/** UTF-16 units; no known name or namespace has a tenth of it. */
const maxNameLength = 1_000;
/** UTF-16 units of all namespace declarations that are in force in one place. */
const maxNamespaceLength = 100_000;

/** An element with its attributes, namespaces resolved. */
export type XmlElement = SaxesTagNS;
export type XmlParser = SaxesParser<{ xmlns: true; position: false }>;

/**
 * Creates a namespace-aware parser that reads no document types, and therefore only knows XML's own entities. Its
 * memory is bounded, except for the current text, comment or tag: the caller limits the input if that may be too
 * large. Attributes are available only during `onElement`. Writing to it throws `XmlError`.
 */
export function strictParser(
  onElement: (element: XmlElement) => void,
  onEnd: (element: XmlElement) => void = () => undefined,
): XmlParser {
  const parser: XmlParser = new SaxesParser({ xmlns: true, position: false });
  /** Lengths of the namespace declarations of each open element, and of all of them. */
  const declared: number[] = [];
  let inForce = 0;
  let attributes = 0;
  parser.on("error", (cause) => {
    throw new XmlError("malformed", cause.message, { cause });
  });
  parser.on("doctype", () => {
    throw new XmlError("doctype", "it has a document type");
  });
  parser.on("opentagstart", ({ name }) => {
    attributes = 0;
    if (declared.push(0) > maxDepth) throw tooMuch(`elements are nested more than ${maxDepth} deep`);
    if (name.length > maxNameLength) throw tooMuch("a name is too long");
  });
  parser.on("attribute", ({ name, value }) => {
    attributes += 1;
    if (attributes > maxAttributes) throw tooMuch(`an element has more than ${maxAttributes} attributes`);
    if (name.length > maxNameLength) throw tooMuch("a name is too long");
    if (!name.startsWith("xmlns")) return;
    inForce += value.length;
    declared.push((declared.pop() ?? 0) + value.length);
    if (inForce > maxNamespaceLength) throw tooMuch("its namespaces are too long");
  });
  parser.on("opentag", (element) => {
    onElement(element);
    // The parser keeps the element until it ends, but needs only its name.
    element.attributes = {};
  });
  parser.on("closetag", (element) => {
    inForce -= declared.pop() ?? 0;
    onEnd(element);
  });
  return parser;
}

function tooMuch(message: string): XmlError {
  return new XmlError("limit", message);
}

/**
 * Creates the decoder for XML that starts with these bytes (at least 4, fewer only if there are no more): UTF-8 or
 * UTF-16, as the package conventions demand (ECMA-376 Part 2, 8.1.4), or the encoding of the XML declaration. The
 * decoder throws `TypeError` on bytes that are wrong in that encoding. Throws `XmlError`.
 */
export function xmlDecoder(head: Uint8Array): TextDecoder {
  return decoder(declaredEncoding(head));
}

function decoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (cause) {
    throw new XmlError("malformed", "its encoding is unknown", { cause });
  }
}

function declaredEncoding(head: Uint8Array): string {
  const [a, b] = head;
  // A byte order mark, or the first `<` in 16 bits (XML 1.0, appendix F).
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 200)).toString("latin1");
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1];
  // Declared as 16 bits, but evidently written in 8: Office reads it as UTF-8.
  return declared === undefined || /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

/** Reads a small XML document completely. Throws `XmlError`. */
export function readXml(bytes: Uint8Array, onElement: (element: XmlElement) => void): void {
  const parser = strictParser(onElement);
  parser.write(decodeXml(bytes)).close();
}

/** The text of an XML document, without its byte order mark. Throws `XmlError`. */
export function decodeXml(bytes: Uint8Array): string {
  const text = xmlDecoder(bytes);
  try {
    return text.decode(bytes);
  } catch (cause) {
    throw new XmlError("malformed", "its characters are not in the encoding that it declares", { cause });
  }
}
