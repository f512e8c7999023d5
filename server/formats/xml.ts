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

/** Maximum depth of elements: more than Office writes for tables within tables or shapes within shapes. */
const maxDepth = 500;
/** The main part of a Word document declares about 40 namespaces, more than any other element has attributes. */
const maxAttributes = 250;
/** Maximum UTF-16 units of a name; known names and namespaces are less than a tenth of this. */
const maxNameLength = 1_000;
/** Maximum UTF-16 units of all namespace declarations in scope at one place. */
const maxNamespaceLength = 100_000;

/** An element with its attributes; namespaces are resolved. */
export type XmlElement = SaxesTagNS;
export type XmlParser = SaxesParser<{ xmlns: true; position: false }>;

/**
 * Creates a namespace-aware parser that rejects document types, and therefore only knows XML's own entities. Its memory
 * is bounded, except for the current text, comment or tag; if that may be too large, the caller has to limit the input.
 * Attributes are available only during `onElement`. Writing to the parser throws `XmlError`.
 */
export function strictParser(
  onElement: (element: XmlElement) => void,
  onEnd: (element: XmlElement) => void = () => undefined,
): XmlParser {
  const parser: XmlParser = new SaxesParser({ xmlns: true, position: false });
  /** Total length of the namespace declarations of each open element. */
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
 * Creates the decoder for XML that starts with these bytes (at least 4, unless the document is shorter). The encoding
 * is UTF-8 or UTF-16, as the package conventions require (ECMA-376 Part 2, 8.1.4), or that of the XML declaration. The
 * decoder throws `TypeError` on invalid bytes. Throws `XmlError` if the encoding is unknown.
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
  // The document starts with a byte order mark or with `<` in 16 bits (XML 1.0, appendix F).
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 200)).toString("latin1");
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1];
  // The declaration says 16 bits, but the text is written in 8 bits: Office reads it as UTF-8.
  return declared === undefined || /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

/** Reads a small XML document completely. Throws `XmlError`. */
export function readXml(bytes: Uint8Array, onElement: (element: XmlElement) => void): void {
  const parser = strictParser(onElement);
  parser.write(decodeXml(bytes)).close();
}

/** Decodes an XML document, without its byte order mark. Throws `XmlError`. */
export function decodeXml(bytes: Uint8Array): string {
  const text = xmlDecoder(bytes);
  try {
    return text.decode(bytes);
  } catch (cause) {
    throw new XmlError("malformed", "its characters are not in the encoding that it declares", { cause });
  }
}
