import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { identifyDocument } from "../../server/formats/identify.ts";
import { bytesSource } from "../../server/formats/bytes-source.ts";
import { DomainError } from "../../server/domain/errors.ts";
import { type OfficeFormat, officeFormat } from "../../server/pipeline/convert/converter.ts";
import { precheckOffice } from "../../server/pipeline/convert/precheck/precheck.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import { makeDocx } from "../../test/fixtures/ooxml.ts";
import { corpusFile } from "../../test/service/corpus.ts";

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
