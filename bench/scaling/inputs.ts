import type { Prices } from "./bill.ts";
import type { SearchCosts } from "./fan-out.ts";
import type { UpkeepCosts } from "./upkeep.ts";

/**
 * All inputs of the simulation. Measured figures name their command. They were measured on 2026-11-22 on an Intel Xeon with two
 * cores at a load of 17 to 44, where CPU times are up to a third above those of an idle machine.
 */

/** CPU seconds of a page, or of what else is named; service and database. `npm run bench -- ingest --pages 300` on PostgreSQL and S3. */
export const stageSeconds = {
  /** An original of text that has to become a PDF, by the WebAssembly build: DOCX (11.7 ms) less the reading of a PDF. */
  convert: 0.0088,
  /** Upload, count, extraction of words, rows. */
  read: 0.0029,
  /** Picture, kinds and rows of the index: the cost of a page of one word. */
  embedPicture: 0.0094,
  /** Words: the additional cost of a page of 5 to 300 words. */
  embedWords: 0.0264,
  /** First view of a page, JPEG. */
  render: 0.08,
  cachedView: 0.0081,
} as const;

/**
 * CPU seconds. A search: `npm run bench -- ingest` (64 ms among 620 pages, all of the search). Its part in tables:
 * bench/README.md, `search` (17.3 ms among 10,000 pages, 24.3 among 100,000, which is 78 ns a page).
 */
export const searchCosts: SearchCosts = { perTable: 0.017, perPage: 78e-9, perSearch: 0.047 };

/** `npm run bench -- upkeep`: rounds at 5,000, 10,000 and 20,000 pages, after 250 and after 10,000 pages more. */
export const upkeepCosts: UpkeepCosts = {
  cpuSeconds: { perRound: 0.53, perPage: 30e-6, perAdded: 0.67e-3 },
  writtenBytes: { perRound: 2e6, perPage: 1_590, perAdded: 80_000 },
};

/** A round settles for 3 s and begins 60 s after the request at the latest (server/pipeline/jobs/cleanup/maintenance.ts). */
export const upkeepIntervalSeconds = 60;

/** Bytes of a page. */
export const pageBytes = {
  /** octave, pgfmanual and mercatormap: 39.8 MB, 2,574 pages. Scans are ten times as large. */
  original: 15_400,
  /** A PDF that an Office document became: `npm run bench -- ingest`, text without pictures. */
  converted: 1_770,
  /** A JPEG; the cache is bounded by its setting. `npm run bench -- ingest`. */
  rendition: 170_000,
  /** By table; pages of 5 to 300 words, 16-bit floats. `npm run bench -- ingest`. */
  vectors: { text: 14_100, picture: 1_420, kinds: 160, words: 1_050 },
  /** Codes of the first pass, which every search of a table reads whole: one bit for each of 1,024 dimensions, and a row id. */
  codes: 136,
  /** PostgreSQL with indices: `pages` 398, `pageWords` 411. `npm run bench -- metadata-postgres`, 1,000,000 pages. */
  rows: 809,
} as const;

/** Rows of a document in PostgreSQL with indices, bytes: `datasets` 1,543, `jobs` 874, `auditEvents` 508, `indices` 355. */
export const documentRowBytes = 3_280;

/**
 * Requests to S3: `npm run bench -- ingest --pages 300`; reads are GET and HEAD, writes PUT, POST and LIST. A search: 140 in all by
 * `npm run bench -- search-s3 --pages 3000`, of them 7.5 lists.
 */
export const requests = {
  /** Requests per document. */
  document: { reads: 4, writes: 4 },
  /** Requests per embedded page, including maintenance. */
  page: { reads: 2.6, writes: 3.9 },
  view: { reads: 5, writes: 1 },
  search: { reads: 132.5, writes: 7.5 },
} as const;

/** Claims and ends of jobs by eight workers, a second: the bar of `npm run bench -- metadata-postgres`. */
export const claimsPerSecond = 300;

/** Bytes of index codes that a process keeps: `defaultCaches` in server/storage/vectors/tables.ts. */
export const indexCacheBytes = 128 * 2 ** 20;

/** The simulated world: assumptions, not measurements. */
export const world = {
  seed: 17,
  pages: 1_000_000_000,
  organisations: 10_000,
  /** The exponent of Zipf's law: the largest organisation has a tenth of all pages. */
  exponent: 1,
  pagesPerDocument: 50,
  /** Share of documents that are not PDFs. */
  office: 0.3,
  /** Days in which all pages arrive. */
  ingestDays: 90,
  /** Share of the time that cores are busy. */
  utilisation: 0.7,
  searchesPerSecond: 50,
  viewsPerSecond: 50,
  /** Share of views that find their page in the cache. */
  cachedViews: 0.8,
  /** Bytes of cached renditions, all servers together. */
  cacheBytes: 2e12,
} as const;

/** Maximum table sizes to simulate, pages. */
export const boundsOfTables = [250_000, 1_000_000, 4_000_000] as const;

/** Machines that search. */
export const searchFleet = { nodes: 16, cores: 8 } as const;

/** Assumptions, of no vendor and in no currency: replace them with your own. */
export const prices: Prices = {
  objectGbMonth: 0.02,
  databaseGbMonth: 0.2,
  coreHour: 0.04,
  thousandWrites: 0.005,
  thousandReads: 0.0005,
};
