import { megabytes } from "../../errors.ts";
import type { TextDecoder } from "node:util";
import { strictParser, type XmlElement, XmlError, type XmlParser, xmlDecoder } from "../../../formats/xml.ts";
import type { PrecheckLimits } from "./limits.ts";
import { excessive } from "./refusals.ts";
import { type Counts, type PartTally, tallyPart, type Vocabulary, vocabularyOf } from "./tally.ts";

/** The state that all parts of a document share while they are read. */
export interface Reading {
  readonly limits: PrecheckLimits;
  readonly counts: Counts;
  xmlBytes: number;
}

/** Reads one part in chunks, if it is XML. Its methods throw `XmlError` and `DocumentError`. */
interface PartReader {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** Called for each element of a part; `root` is true for the part's first element. */
export type ElementWatch = (element: XmlElement, vocabulary: Vocabulary, root: boolean) => void;

/**
 * Reads a part. It must be XML if its name or its first byte says so, so that XML cannot hide behind another name. Parts in
 * Office's own vocabularies must be well-formed to the end, because converters treat a part that breaks off as a shorter
 * document. Other parts, such as properties and the shapes of comments (VML), are often not well-formed.
 */
export function readPart(name: string, reading: Reading, watch: ElementWatch): PartReader {
  const named = /\.(xml|rels)$/i.test(name);
  let inner: PartReader | undefined;
  let held = Buffer.alloc(0);

  function start(): void {
    const isXml = named || (looksLikeXml(held) && !isForeign(held));
    inner = isXml ? readXmlPart(held, { named, reading, watch }) : ignored;
    const head = held;
    held = Buffer.alloc(0);
    inner.write(head);
  }
  return {
    write(chunk) {
      if (inner !== undefined) return inner.write(chunk);
      held = Buffer.concat([held, chunk]);
      if (held.length >= sniffBytes) start();
    },
    end() {
      if (inner === undefined) start();
      inner?.end();
    },
  };
}

const ignored: PartReader = { write: () => {}, end: () => {} };

/** Number of bytes that are enough for a declaration and the start of the first element. */
const sniffBytes = 512;

function looksLikeXml(head: Buffer): boolean {
  // Skips white space and byte order marks, even if characters have 16 bits.
  return head.find((byte) => ![0x20, 0x09, 0x0a, 0x0d, 0, 0xef, 0xbb, 0xbf, 0xfe, 0xff].includes(byte)) === 0x3c;
}

/** Whether a part is an embedded web page or SVG picture, which may have document types of their own. */
function isForeign(head: Buffer): boolean {
  return /<!doctype\s+(html|svg)\b|<html\b|<svg\b/i.test(head.toString("latin1"));
}

function readXmlPart(
  head: Buffer,
  { named, reading, watch }: { named: boolean; reading: Reading; watch: ElementWatch },
): PartReader {
  const { limits, counts } = reading;
  let vocabulary: Vocabulary | undefined;
  let tally: PartTally | undefined;
  /** Bytes since the parser's last event; it buffers them. */
  let run = 0;
  /** Undefined once the part turns out to be of a kind that need not be well-formed. */
  let parser: XmlParser | undefined = strictParser((element) => {
    run = 0;
    const root = vocabulary === undefined;
    vocabulary ??= vocabularyOf(element.uri);
    tally ??= tallyPart(vocabulary, counts, limits);
    tally.element(element);
    watch(element, vocabulary, root);
  });
  const onEvent = (): void => {
    run = 0;
  };
  parser.on("text", (text) => {
    run = 0;
    tally?.text(text);
  });
  parser.on("cdata", (text) => {
    run = 0;
    tally?.text(text);
  });
  parser.on("comment", onEvent);
  parser.on("processinginstruction", onEvent);
  const decoder = xmlDecoder(head);

  function step(bytes: Uint8Array | undefined): void {
    try {
      if (run > limits.runBytes) throw new XmlError("limit", `a text is longer than ${megabytes(limits.runBytes)}`);
      const text = decode(decoder, bytes);
      // All white space is equivalent here, and the parser allocates a string for each line end in an attribute.
      parser?.write(text.replaceAll(/[\n\r\t]/g, " "));
      if (bytes === undefined) parser?.close();
    } catch (cause) {
      const isLenient = vocabulary === "other" || (vocabulary === undefined && !named && !hasDoctype(head));
      if (!(cause instanceof XmlError) || cause.fault === "doctype" || !isLenient) throw cause;
      parser = undefined;
    }
  }

  return {
    write(chunk) {
      reading.xmlBytes += chunk.length;
      run += chunk.length;
      if (reading.xmlBytes > limits.xmlBytes) {
        throw excessive(
          `it has more than ${megabytes(limits.xmlBytes)} of text and structure; split it and upload the parts`,
        );
      }
      if (parser !== undefined) step(chunk);
    },
    end() {
      if (parser !== undefined) step(undefined);
    },
  };
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new XmlError("malformed", "its characters are not in the encoding that it declares", { cause });
  }
}

function hasDoctype(head: Buffer): boolean {
  return head.toString("latin1").replaceAll("\0", "").includes("<!DOCTYPE");
}
