import type { PackRanking, Reading } from "../ports/pack-ranking.ts";
import {
  type DenseSpace,
  type LexicalSpace,
  type PageHit,
  rowKey,
  type SearchScope,
  type SpaceRef,
  type VectorStore,
} from "../ports/vectors.ts";
import { observePart, type PartObservers } from "./part.ts";
import type { QueryInSpace } from "../ports/worker.ts";
import { findDocuments, type FoundDocuments } from "./documents.ts";
import { type NameReader, withoutNames } from "./names.ts";

interface Ranker extends PartObservers, Pick<NameReader, "embed"> {
  readonly pack: PackRanking;
  readonly vectors: Pick<VectorStore, "searchLexical" | "searchDense" | "scorePages" | "readTerms">;
  /** Takes what the ranking is made of, where it is to be explained. */
  readonly keep?: (gathered: Gathered) => void;
}

/** The pages that fit the query best by all spaces of the pack together, best first; scores from 0 to 1. */
export async function rankPages(
  ranker: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
): Promise<readonly PageHit[]> {
  const gathered = await gatherAll(ranker, query, scope);
  ranker.keep?.(gathered);
  const { hits, reading } = gathered;
  return observePart(ranker, "fusion", async () => ranker.pack.fuse(hits, reading));
}

/** All that a ranking is made of: what `PackRanking.fuse` takes. */
export interface Gathered {
  readonly hits: ReadonlyMap<string, readonly PageHit[]>;
  /** Undefined: the pack reads no pages, or the query has no words. */
  readonly reading: Reading | undefined;
}

export async function gatherAll(ranker: Ranker, query: readonly QueryInSpace[], scope: SearchScope): Promise<Gathered> {
  const { pack, vectors } = ranker;
  const { reads } = pack;
  const text = reads && partsIn(pack, query).lexical.find(({ space }) => space.name === reads.words.name)?.text;
  if (reads === undefined || text === undefined) {
    return { hits: await gatherHits(ranker, query, scope), reading: undefined };
  }
  const documents = observePart(ranker, "documents", () => findDocuments(vectors, reads.documents, text, scope));
  const hits = await gatherHits(ranker, query, scope, documents);
  const { evidence } = await documents;
  const pages = mostPromising(hits, maxRead);
  const terms = await observePart(ranker, "reading", () =>
    vectors.readTerms(reads.words, text, pages, scope.workspaceId),
  );
  return { hits, reading: { ...terms, documents: evidence } };
}

/** Pages that the second stage reads; some 20 µs each. */
const maxRead = 150;

/** The pages that are first in their spaces, of all spaces in turn. */
function mostPromising(hits: ReadonlyMap<string, readonly PageHit[]>, most: number): readonly PageHit[] {
  const pages = new Map<string, PageHit>();
  const lists = [...hits.values()];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let rank = 0; rank < longest && pages.size < most; rank++) {
    for (const list of lists) {
      const hit = list[rank];
      if (hit !== undefined) pages.set(rowKey(hit), hit);
    }
  }
  return [...pages.values()].slice(0, most);
}

/**
 * The share of the pages found by words, the best of them, that vectors score too: one further down that no vector has found
 * either does not come among the first, and to read its vectors takes as long.
 */
const shareScored = 0.3;

/**
 * By space, the hits that the pack wants for `scope.limit` results. A page that another space found is added to the hits of
 * every dense space with its exact score there, unless it has no vectors in it or is far down among those found by words.
 */
export async function gatherHits(
  ranker: Ranker,
  query: readonly QueryInSpace[],
  scope: SearchScope,
  documents?: Promise<FoundDocuments>,
): Promise<ReadonlyMap<string, readonly PageHit[]>> {
  // It is awaited later, and may fail before.
  documents?.catch(() => undefined);
  const { pack, vectors } = ranker;
  const candidates = { ...scope, limit: pack.candidates(scope.limit) };
  const searchWords = (parts: Parts["lexical"]): Promise<readonly (readonly PageHit[])[]> =>
    Promise.all(
      parts.map(({ space, text }) =>
        observePart(ranker, "words", () => findByWords(vectors, { space, text, scope: candidates, documents })),
      ),
    );
  const asWritten = partsIn(pack, query);
  const byAll = searchWords(asWritten.lexical);
  const rest = await withoutNamesOf(ranker, asWritten, { workspaceId: scope.workspaceId, documents, found: byAll });
  const { lexical, dense } = rest ?? asWritten;
  const words = rest === undefined ? byAll : searchWords(rest.lexical);
  // Dense spaces look for pages of their own meanwhile, and then score both at once.
  const byWords = words.then((hits) =>
    hits.flatMap((some) => some.slice(0, Math.ceil(shareScored * candidates.limit))),
  );
  // A dense space that fails by itself never asks for it; the failure of the words is thrown below.
  byWords.catch(() => undefined);
  const nearest = dense.map(async ({ space, asked }) =>
    isSearched(space)
      ? observePart(ranker, "vectors", () => vectors.searchDense(space, asked, candidates, byWords))
      : [],
  );
  const [inWords, ...inDense] = await Promise.all([words, ...nearest]);
  const ofWords = inWords.flat();

  const found = new Map<string, readonly PageHit[]>();
  const add = ({ name }: SpaceRef, hits: readonly PageHit[] = []) =>
    found.set(name, [...(found.get(name) ?? []), ...hits]);
  for (const [index, { space }] of lexical.entries()) add(space, inWords[index]);
  for (const [index, { space }] of dense.entries()) add(space, inDense[index]);

  const pages = new Map([...found.values()].flat().map((hit) => [rowKey(hit), hit]));
  const others = dense.map(async ({ space, asked }) => {
    const known = new Set([...(found.get(space.name) ?? []), ...(isSearched(space) ? ofWords : [])].map(rowKey));
    const unknown = [...pages].filter(([key]) => !known.has(key)).map(([, page]) => page);
    if (unknown.length === 0) return [];
    return observePart(ranker, "scores", () => vectors.scorePages(space, asked, unknown, scope.workspaceId));
  });
  const inOthers = await Promise.all(others);
  for (const [index, { space }] of dense.entries()) add(space, inOthers[index]);
  return new Map(Array.from(found, ([name, hits]) => [name, bestOfEach(hits)]));
}

interface Written {
  readonly workspaceId: SearchScope["workspaceId"];
  readonly documents: Promise<FoundDocuments> | undefined;
  /** By the words as they are written. */
  readonly found: Promise<readonly (readonly PageHit[])[]>;
}

/** The parts of the query without the names of documents; undefined where there are none, or they are to stay. */
async function withoutNamesOf(
  ranker: Ranker,
  { lexical }: Parts,
  { workspaceId, documents, found }: Written,
): Promise<Parts | undefined> {
  const [part] = lexical;
  if (documents === undefined || part === undefined) return undefined;
  // It fails again where it is awaited for its hits.
  found.catch(() => undefined);
  const known = await documents;
  if (known.named.length === 0) return undefined;
  const rest = await withoutNames(ranker, known, { text: part.text, workspaceId, found: (await found).flat() });
  return rest && partsIn(ranker.pack, rest);
}

interface AskedWords {
  readonly space: LexicalSpace;
  readonly text: string;
  readonly scope: SearchScope;
  readonly documents: Promise<FoundDocuments> | undefined;
}

/** Pages that are asked for in the documents that fit the question best as a whole. */
const pagesOfBest = 50;

/** The pages that fit the words best, and beside them the best pages of the documents that do. */
async function findByWords(
  vectors: Pick<VectorStore, "searchLexical">,
  { space, text, scope, documents }: AskedWords,
): Promise<readonly PageHit[]> {
  const also = documents?.then(({ best }) => ({ datasetIds: best, limit: pagesOfBest }));
  // A store that cannot be reached fails before it asks for it, and nobody may be left with the failure of the other.
  also?.catch(() => undefined);
  return vectors.searchLexical(space, text, scope, also);
}

/** Is the space asked for pages of its own? */
const isSearched = ({ firstPass }: DenseSpace): boolean => firstPass !== "none";

/** One hit per row: a query may be asked in a space in several ways, and a row counts by the one that fits it best. */
function bestOfEach(hits: readonly PageHit[]): readonly PageHit[] {
  const best = new Map<string, PageHit>();
  for (const hit of hits) if (hit.score > (best.get(rowKey(hit))?.score ?? -Infinity)) best.set(rowKey(hit), hit);
  return [...best.values()].toSorted((a, b) => b.score - a.score);
}

interface Parts {
  readonly lexical: { readonly space: LexicalSpace; readonly text: string }[];
  readonly dense: { readonly space: DenseSpace; readonly asked: readonly Float32Array[] }[];
}

/** The parts of a query with the spaces that they are for. */
function partsIn(pack: PackRanking, query: readonly QueryInSpace[]): Parts {
  const parts: Parts = { lexical: [], dense: [] };
  for (const part of query) {
    const space = pack.spaces.find(({ name }) => name === part.space);
    if (space?.kind === "lexical" && part.kind === "lexical") parts.lexical.push({ space, text: part.text });
    else if (space?.kind === "dense" && part.kind === "dense") parts.dense.push({ space, asked: part.vectors });
    else {
      throw new Error(
        `pack ${pack.id}: a ${part.kind} query for the space ${part.space}, which is ${space?.kind ?? "missing"}`,
      );
    }
  }
  return parts;
}
