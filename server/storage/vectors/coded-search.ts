import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { DenseSpace, PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { decodeFirst, scoresOf } from "./codes.ts";
import type { CodesInMemory, RowsInMemory } from "./codes-in-memory.ts";
import { parseRowId, rowId, rowsInFilter, scopeFilter } from "./filters.ts";
import { bestAnd, candidatesFor, everyPartition, ranked } from "./ranking.ts";

/** Up to this many pages all are compared by all of their vectors; of more, those whose first vector is near. */
const allCompared = 200;
/** Rows that are looked up together. */
const rowsPerRead = 1_000;

export interface AskedCodes {
  readonly table: Table;
  readonly space: DenseSpace;
  readonly question: Float32Array;
  readonly scope: SearchScope;
  readonly codes: CodesInMemory;
}

/**
 * Two passes over a table of codes: by the first vectors LanceDB finds pages, and then the codes of these, and of those that
 * others have found, are compared with the question here.
 *
 * `pages`: how many there are in the scope; undefined if they are so many that the index is asked.
 */
export async function searchCodes(
  asked: AskedCodes,
  pages: number | undefined,
  also: Promise<readonly PageKey[]> | undefined,
): Promise<readonly PageHit[]> {
  if (pages === 0) return [];
  const { table, scope, question } = asked;
  const limit = pages !== undefined && pages <= allCompared ? pages : candidatesFor(scope);
  const first = table.query().nearestTo(question).column("first").distanceType("cosine").where(scopeFilter(scope));
  const near = pages === undefined ? first.nprobes(everyPartition) : first.bypassVectorIndex();
  const [memory, found] = await Promise.all([
    asked.codes.of(table),
    near.limit(limit).withRowId().select(["id", "_distance"]).toArrow(),
  ]);
  const addresses = addressesIn(found);
  for (const [id, address] of addresses) memory.addresses.set(keyOf(scope, id), address);
  const others = (await also) ?? [];
  for (const [id, address] of await locate(asked, memory, others)) addresses.set(id, address);
  return bestAnd(await compare(asked, memory, addresses), scope.limit, others);
}

/** The scores of given pages. */
export async function scoreCodes(asked: AskedCodes, pages: readonly PageKey[]): Promise<readonly PageHit[]> {
  const memory = await asked.codes.of(asked.table);
  return compare(asked, memory, await locate(asked, memory, pages));
}

type Addresses = Map<string, bigint>;

const keyOf = ({ workspaceId }: Pick<SearchScope, "workspaceId">, id: string): string => `${workspaceId} ${id}`;

/** Where the rows of the pages are, of those that the workspace has. */
async function locate(
  { table, scope }: AskedCodes,
  memory: RowsInMemory,
  pages: readonly PageKey[],
): Promise<Addresses> {
  const wanted = new Map(pages.map((page) => [rowId(page), page]));
  const unknown = [...wanted].filter(([id]) => !memory.addresses.has(keyOf(scope, id))).map(([, page]) => page);
  for (let from = 0; from < unknown.length; from += rowsPerRead) {
    const some = unknown.slice(from, from + rowsPerRead);
    const rows = table.query().where(rowsInFilter(scope.workspaceId, some)).withRowId().select(["id"]);
    const found = addressesIn(await rows.toArrow());
    for (const page of some) memory.addresses.set(keyOf(scope, rowId(page)), found.get(rowId(page)));
  }
  return new Map(
    [...wanted.keys()].flatMap((id) => {
      const address = memory.addresses.get(keyOf(scope, id));
      return address === undefined ? [] : [[id, address] as const];
    }),
  );
}

async function compare(asked: AskedCodes, memory: RowsInMemory, addresses: Addresses): Promise<readonly PageHit[]> {
  const { space, question } = asked;
  const codes = await readCodes(asked, memory, addresses);
  const scores = scoresOf(question, [...codes.values()]);
  const hits = Array.from(codes, ([id, ofPage], at): PageHit | undefined => {
    const page = parseRowId(id);
    const score = scores[at] ?? Number.NaN;
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (page === undefined || !Number.isFinite(score)) return undefined;
    return space.givesVectors === true
      ? { ...page, score, vector: decodeFirst(ofPage, space.dimensions) }
      : { ...page, score };
  }).filter((hit) => hit !== undefined);
  return ranked(hits, hits.length);
}

/** The codes at the addresses, by row id. */
async function readCodes(
  { table, scope }: AskedCodes,
  memory: RowsInMemory,
  addresses: Addresses,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const codes = new Map<string, Uint8Array>();
  const unread: bigint[] = [];
  for (const [id, address] of addresses) {
    const known = memory.codesAt(address, id);
    if (known === undefined) unread.push(address);
    else codes.set(id, known);
  }
  if (unread.length === 0) return codes;
  const wanted = unread.toSorted((one, other) => (one < other ? -1 : 1));
  const read = await table.takeRowIds(wanted).withRowId().select(["id", "codes"]).toArrow();
  for (const [id, address, bytes] of codesIn(read)) {
    // Only a table that was mended meanwhile has another row there, which may be another workspace's.
    if (!addresses.has(id)) continue;
    memory.keep(address, id, bytes);
    codes.set(id, bytes);
  }
  // Rows that another process has moved since they were found.
  const moved = [...addresses.keys()].flatMap((id) => (codes.has(id) ? [] : (parseRowId(id) ?? [])));
  if (moved.length === 0) return codes;
  const again = table.query().where(rowsInFilter(scope.workspaceId, moved)).withRowId().select(["id", "codes"]);
  for (const [id, , bytes] of codesIn(await again.toArrow())) codes.set(id, bytes);
  return codes;
}

function addressesIn(rows: ArrowTable): Addresses {
  const [ids, addresses] = [rows.getChild("id"), rows.getChild("_rowid")];
  return new Map(
    Array.from({ length: rows.numRows }, (_, at) => [String(ids?.get(at)), BigInt(addresses?.get(at))] as const),
  );
}

/** Copies: what Arrow gives is part of all that was read. */
function* codesIn(rows: ArrowTable): Generator<readonly [id: string, address: bigint, codes: Uint8Array]> {
  const [ids, addresses, codes] = [rows.getChild("id"), rows.getChild("_rowid"), rows.getChild("codes")];
  for (let at = 0; at < rows.numRows; at++) {
    const bytes: unknown = codes?.get(at);
    if (!(bytes instanceof Uint8Array)) throw new TypeError("a dense row without its codes");
    yield [String(ids?.get(at)), BigInt(addresses?.get(at)), bytes.slice()];
  }
}
