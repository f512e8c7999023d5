import type { Row } from "../measuring/report.ts";
import { documentRowBytes, pageBytes, world } from "./inputs.ts";

const documents = world.pages / world.pagesPerDocument;
const { vectors } = pageBytes;

/** Bytes by kind, except those in PostgreSQL, which have another price. */
export const objectBytes: Readonly<Record<string, number>> = {
  originals: pageBytes.original * world.pages,
  "converted PDFs": pageBytes.converted * world.pages * world.office,
  "vectors of text": vectors.text * world.pages,
  "vectors of pictures": vectors.picture * world.pages,
  "vectors of kinds": vectors.kinds * world.pages,
  "words for the index": vectors.words * world.pages,
  "renditions, bounded": world.cacheBytes,
};

export const databaseBytes: Readonly<Record<string, number>> = {
  "rows of pages": pageBytes.rows * world.pages,
  "rows of documents": documentRowBytes * documents,
};

export const sumOf = (amounts: Readonly<Record<string, number>>): number =>
  Object.values(amounts).reduce((sum, amount) => sum + amount, 0);

export function storageTable(): Row[] {
  const lines = (where: string, amounts: Readonly<Record<string, number>>): Row[] =>
    Object.entries({ ...amounts, all: sumOf(amounts) }).map(([kind, bytes]) => ({
      where,
      kind,
      TB: bytes / 1e12,
      "GB a million pages": bytes / 1e9 / (world.pages / 1e6),
    }));
  return [...lines("objects", objectBytes), ...lines("PostgreSQL", databaseBytes)];
}
