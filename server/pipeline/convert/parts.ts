import { open } from "node:fs/promises";
import type { ByteSource } from "../../domain/documents/source.ts";
import { fileSource } from "../../formats/sources.ts";
import { type OfficePackage, openPackage, resolvePart } from "../../formats/package.ts";
import { strictParser, xmlDecoder, type XmlElement, XmlError, type XmlParser } from "../../formats/xml.ts";
import { readDirectory } from "../../formats/zip/directory.ts";
import { inflateEntry, placeEntries, type Volume } from "./precheck/inflate.ts";
import { precheckLimits } from "./precheck/limits.ts";

/** Receives the XML events of a part. */
export interface PartListener {
  open(element: XmlElement): void;
  close(element: XmlElement): void;
  text(text: string): void;
}

interface Relationship {
  readonly type: string;
  /** The part that the relationship points to. */
  readonly target: string;
}

/** The parts of an Office file that has passed the pre-check, read one at a time. Names are compared without case. */
export interface OfficeParts {
  readonly office: OfficePackage;
  readonly source: ByteSource;
  /** Throws `XmlError` if a part is not well-formed, and `DocumentError` if the file has changed. */
  read(name: string, listener: PartListener): Promise<void>;
  /** Returns the first bytes of a part; empty if it does not exist. */
  bytes(name: string, maxBytes: number): Promise<Buffer>;
  /** Returns the relationships of a part by id; empty if it has none. */
  relationships(name: string): Promise<ReadonlyMap<string, Relationship>>;
}

/** Opens an Office file while `work` runs. Returns undefined if it is not an Office file. */
export async function withParts<Result>(
  file: string,
  signal: AbortSignal,
  work: (parts: OfficeParts) => Promise<Result>,
): Promise<Result | undefined> {
  const handle = await open(file);
  try {
    const source = await fileSource(handle);
    const directory = await readDirectory(source);
    const office = await openPackage(source, directory);
    if (office === undefined) return undefined;
    const placed = new Map(
      (await placeEntries(source, directory, signal)).map((place) => [place.entry.name.toLowerCase(), place]),
    );
    const volume: Volume = { compressed: 0, inflated: 0 };
    async function* chunks(name: string): AsyncGenerator<Buffer> {
      const place = placed.get(name.toLowerCase());
      if (place !== undefined) yield* inflateEntry(handle, place, { volume, limits: precheckLimits, signal });
    }
    return await work({
      office,
      source,
      read: (name, listener) => readXmlPart(chunks(name), listener),
      async bytes(name, maxBytes) {
        const pieces: Buffer[] = [];
        let size = 0;
        for await (const chunk of chunks(name)) {
          pieces.push(chunk);
          size += chunk.length;
          if (size >= maxBytes) break;
        }
        return Buffer.concat(pieces).subarray(0, maxBytes);
      },
      async relationships(name) {
        const folder = name.slice(0, name.lastIndexOf("/") + 1);
        const found = new Map<string, Relationship>();
        await readXmlPart(chunks(`${folder}_rels/${name.slice(folder.length)}.rels`), {
          open({ local, attributes }) {
            if (local !== "Relationship" || attributes["TargetMode"]?.value === "External") return;
            const type = attributes["Type"]?.value ?? "";
            const target = resolvePart(folder, attributes["Target"]?.value ?? "");
            found.set(attributes["Id"]?.value ?? "", { type: type.slice(type.lastIndexOf("/") + 1), target });
          },
          close: () => undefined,
          text: () => undefined,
        });
        return found;
      },
    });
  } finally {
    await handle.close();
  }
}

async function readXmlPart(chunks: AsyncIterable<Buffer>, { open, close, text }: PartListener): Promise<void> {
  let parser: XmlParser | undefined;
  let decoder: ReturnType<typeof xmlDecoder> | undefined;
  for await (const chunk of chunks) {
    if (parser === undefined) {
      parser = strictParser(open, close);
      parser.on("text", text);
      parser.on("cdata", text);
    }
    decoder ??= xmlDecoder(chunk);
    parser.write(decoded(decoder, chunk));
  }
  parser?.close();
}

function decoded(decoder: ReturnType<typeof xmlDecoder>, chunk: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new XmlError("malformed", "its characters are not in the encoding that it declares", { cause });
  }
}
