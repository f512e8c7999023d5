import type { Table } from "@lancedb/lancedb";
import type { DenseSpace, PageHit, PageKey, SearchScope } from "../../../domain/ports/vectors.ts";
import { filtered, pageId, parsePageId, scopeFilter } from "../filters.ts";
import { untilEnough } from "../post-filter.ts";
import { bestAnd, candidatesFor, everyPartition } from "../ranking.ts";
import {
  type Addresses,
  addressesIn,
  type CachedColumn,
  locate,
  noteAddresses,
  readColumn,
} from "../rows/read-column.ts";
import { columnName } from "../layout.ts";
import { createRowsInMemory, type RowsInMemory } from "../rows/rows-in-memory.ts";
import { decodeFirst, scoresOf } from "./codes.ts";

/**
 * Up to this number of pages in the scope, the search compares all vectors of all pages. Beyond it, only pages with a
 * near first vector are compared.
 */
const allCompared = 200;
/** Maximum size of the cached codes; enough for about nine thousand pages of text. */
const maxBytesInMemory = 64 * 2 ** 20;

/** Cached codes of pages that were read recently. */
type CodesInMemory = RowsInMemory<Uint8Array>;

export const createCodesInMemory = (): CodesInMemory =>
  createRowsInMemory({ maxBytes: maxBytesInMemory, bytesOf: ({ length }) => length });

/** The cached state of a process for tables of codes. */
export interface CodedMemory {
  readonly codes: CodesInMemory;
}

export interface CodeQuery extends CodedMemory {
  readonly table: Table;
  readonly space: DenseSpace;
  readonly question: Float32Array;
}

interface ScopedCodeQuery extends CodeQuery {
  readonly scope: SearchScope;
}

/**
 * Searches a table of codes in two passes: LanceDB finds pages by their first vectors, and then the codes of these
 * pages, and of pages that other spaces have found, are compared with the query here.
 *
 * `pages` is the number of pages in the scope; undefined if there are so many that the index is used.
 */
export async function searchCodes(
  asked: ScopedCodeQuery,
  pages: number | undefined,
  also: Promise<readonly PageKey[]> | undefined,
): Promise<readonly PageHit[]> {
  if (pages === 0) return [];
  const { scope } = asked;
  const limit = pages !== undefined && pages <= allCompared ? pages : candidatesFor(scope);
  const column = await columnOf(asked);
  const addresses = await nearestInTable(asked, column, { limit, pages });
  const others = (await also) ?? [];
  for (const [id, address] of await locate(column, others)) addresses.set(id, address);
  return bestAnd(compare(asked, codedPages(await readColumn(column, addresses))), scope.limit, others);
}

/** Finds the nearest pages by their first vectors. `pages` is as in `searchCodes`. */
async function nearestInTable(
  { table, space, question, scope }: ScopedCodeQuery,
  column: CachedColumn<Uint8Array>,
  { limit, pages }: { readonly limit: number; readonly pages: number | undefined },
): Promise<Addresses> {
  const { pass } = scope;
  const nearest = table
    .query()
    .nearestTo(question)
    .column(columnName(`${space.name}.first`))
    .distanceType("cosine");
  const first = filtered(nearest, scopeFilter(scope));
  const near = pages === undefined ? first.nprobes(everyPartition) : first.bypassVectorIndex();
  const { kept } = await untilEnough({ limit }, async (wanted) => {
    const found = addressesIn(await near.limit(wanted).withRowId().select(["id", "_distance"]).toArrow());
    if (pass === undefined) return { kept: found, keptCount: limit, count: found.size };
    const rows = Array.from(found, ([id, address]) => ({ id, address, datasetId: parsePageId(id)?.datasetId }));
    const passed = await pass(new Set(rows.flatMap(({ datasetId }) => datasetId ?? [])));
    const some = rows.filter(({ datasetId }) => datasetId !== undefined && passed.has(datasetId));
    const best = some.slice(0, limit).map(({ id, address }) => [id, address] as const);
    return { kept: new Map(best), keptCount: some.length, count: found.size };
  });
  noteAddresses(column, kept);
  return kept;
}

/** Returns the scores of the given pages, in no particular order. */
export async function scoreCodes(asked: CodeQuery, pages: readonly PageKey[]): Promise<readonly PageHit[]> {
  const column = await columnOf(asked);
  return compare(asked, codedPages(await readColumn(column, await locate(column, pages))));
}

const compare = ({ space, question }: CodeQuery, pages: readonly CodedPage[]): readonly PageHit[] =>
  comparePages(space, question, pages);

const columnOf = async ({ table, space, codes }: CodeQuery): Promise<CachedColumn<Uint8Array>> => ({
  table,
  rows: await codes.of(table),
  name: columnName(`${space.name}.codes`),
  idOf: pageId,
  copy: copyCodes,
});

function copyCodes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("a dense row without its codes");
  return value.slice();
}

interface CodedPage {
  readonly page: PageKey;
  readonly codes: Uint8Array;
}

/** Converts codes by row id to pages. */
const codedPages = (read: ReadonlyMap<string, Uint8Array>): readonly CodedPage[] =>
  Array.from(read, ([id, codes]) => ({ page: parsePageId(id), codes })).filter(
    (each): each is CodedPage => each.page !== undefined,
  );

/** Returns the pages with the scores of their nearest vectors, in no particular order. */
function comparePages(
  { dimensions, givesVectors }: Pick<DenseSpace, "dimensions" | "givesVectors">,
  question: Float32Array,
  pages: readonly CodedPage[],
): readonly PageHit[] {
  const scores = scoresOf(
    question,
    pages.map(({ codes }) => codes),
  );
  const hits: PageHit[] = [];
  for (const [at, { page, codes }] of pages.entries()) {
    const score = scores[at] ?? Number.NaN;
    // The cosine of a vector of zeros is NaN; such a row matches nothing.
    if (!Number.isFinite(score)) continue;
    hits.push(givesVectors === true ? new HitWithVector(page, score, codes, dimensions) : { ...page, score });
  }
  return hits;
}

/**
 * The getter is on the prototype, because most vectors are never read, and defining a getter for each hit takes as long
 * as comparing its page.
 */
class HitWithVector implements PageHit {
  readonly datasetId: PageKey["datasetId"];
  readonly page: number;
  readonly generation: string;
  readonly score: number;
  readonly #codes: Uint8Array;
  readonly #dimensions: number;

  constructor({ datasetId, page, generation }: PageKey, score: number, codes: Uint8Array, dimensions: number) {
    this.datasetId = datasetId;
    this.page = page;
    this.generation = generation;
    this.score = score;
    this.#codes = codes;
    this.#dimensions = dimensions;
  }

  get vector(): Float32Array {
    return decodeFirst(this.#codes, this.#dimensions);
  }
}
