import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { readSettings } from "../../server/settings/settings.ts";
import { DomainError } from "../../server/domain/errors.ts";
import { bytesSource } from "../../server/formats/sources.ts";
import { identifyDocument } from "../../server/formats/identify.ts";
import { type EngineName, type OfficeFormat, officeFormat } from "../../server/pipeline/convert/converter.ts";
import { precheckOffice } from "../../server/pipeline/convert/precheck/precheck.ts";
import { type Conversions, createConverters } from "../../server/pipeline/convert/select.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import { makeDocx } from "../../test/fixtures/ooxml.ts";
import { corpusFile } from "../../test/service/corpus.ts";

/** A converter as the service uses it, with its settings. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Returns the seconds until the PDF is complete at `output`. Throws the errors of the service's converter. */
  convert(document: OfficeDocument, output: string): Promise<number>;
}

export interface Engines {
  readonly present: readonly Engine[];
  /** Reasons why engines are missing. */
  readonly missing: ReadonlyMap<EngineName, string>;
  close(): Promise<void>;
}

const names: readonly EngineName[] = ["wasm", "soffice"];

/** Opens the converters that this machine has. Each is used alone, so that none falls back to another. */
export async function openEngines(folder: string): Promise<Engines> {
  const present: Engine[] = [];
  const missing = new Map<EngineName, string>();
  const opened: Conversions[] = [];
  for (const name of names) {
    const conversions = createConverters({ choice: name, slots: 1, scratchParent: join(folder, "convert") });
    opened.push(conversions);
    const availability = (await conversions.describe()).engines[name];
    if (availability.available) present.push(engineOf(name, availability.version, conversions));
    else missing.set(name, availability.reason);
  }
  return {
    present,
    missing,
    close: async () => void (await Promise.all(opened.map((conversions) => conversions.close()))),
  };
}

function engineOf(name: EngineName, version: string, conversions: Conversions): Engine {
  const { maxSheetPages, convertTimeoutMs } = readSettings({ flags: {}, env: {} });
  return {
    name,
    version,
    async convert({ file, format }, output) {
      const since = performance.now();
      await conversions.convert(
        { file, extension: format, output, ...(format === "xlsx" && { lastPage: maxSheetPages + 1 }) },
        { signal: new AbortController().signal, timeoutMs: convertTimeoutMs },
      );
      return (performance.now() - since) / 1000;
    },
  };
}

export interface OfficeDocument {
  readonly name: string;
  /** The local path. */
  readonly file: string;
  readonly format: OfficeFormat;
}

/** A page of text. */
const paragraphs = Array.from(
  { length: 12 },
  (_, index) => `Paragraph ${index + 1}: the lamp of the lighthouse turns once in twelve seconds, and is seen far out.`,
);

export async function writeSimpleDocument(folder: string): Promise<OfficeDocument> {
  const file = join(folder, "simple.docx");
  await writeFile(file, makeDocx({ paragraphs }));
  return { name: "simple.docx", file, format: "docx" };
}

/** Lists the real documents by name; undefined if their folder is missing. */
export async function listOfficeDocuments(): Promise<readonly OfficeDocument[] | undefined> {
  const folder = corpusFile("office");
  if (!existsSync(folder)) return undefined;
  const names = (await readdir(folder)).toSorted();
  return names.flatMap((name) => {
    const format = officeFormat(extname(name).slice(1));
    return format === undefined ? [] : [{ name, file: join(folder, name), format }];
  });
}

/** Returns why the service refuses a document before conversion; undefined if it accepts it. */
export async function refusalOf({ file }: OfficeDocument): Promise<string | undefined> {
  try {
    await identifyDocument(bytesSource(await readFile(file)));
    await precheckOffice(file);
    return undefined;
  } catch (cause) {
    if (cause instanceof DomainError || cause instanceof DocumentError) return cause.message;
    throw cause;
  }
}
