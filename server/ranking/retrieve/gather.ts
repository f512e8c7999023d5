import { documentKey, type PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import type { DenseSpace, LexicalSpace, PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import type { QueryInSpace } from "../../domain/ports/worker.ts";
import { observePart, type PartObservers } from "../observe-part.ts";
import { type Candidates, candidatesOf } from "./candidates.ts";
import type { FoundDocuments } from "./documents.ts";
import { type NameReader, type ReadNames, readNames } from "./names.ts";

/** What gathers candidates. */
export interface Gatherer extends PartObservers, Pick<NameReader, "embed"> {
  readonly pack: PackRanking;
  readonly vectors: Pick<VectorStore, "searchLexical" | "searchDense" | "scorePages" | "termsOf">;
}

/**
 * The share of the pages found by words, the best of them, that vectors score too: one further down that no vector has found
 * either does not come among the first, and to read its vectors takes as long.
 */
const shareScored = 0.3;

/**
 * What the spaces find, `scope.limit` pages each. A page that another space found is added to what every
 * dense space has found with its exact score there, unless it has no vectors in it or is far down among those found by words.
 */
export async function gatherCandidates(
  gatherer: Gatherer,
  query: readonly QueryInSpace[],
  scope: SearchScope,
  documents?: Promise<FoundDocuments>,
): Promise<{ readonly candidates: Candidates; readonly meant: ReadNames["meant"] }> {
  // It is awaited later, and may fail before.
  documents?.catch(() => undefined);
  const { pack, vectors } = gatherer;
  const searchWords = (parts: Parts["lexical"]): Promise<readonly (readonly PageHit[])[]> =>
    Promise.all(
      parts.map(({ space, text }) =>
        observePart(gatherer, "words", () => findByWords(vectors, { space, text, scope, documents })),
      ),
    );
  const asWritten = partsIn(pack, query);
  const byAll = searchWords(asWritten.lexical);
  const names = await namesIn(gatherer, asWritten, { workspaceId: scope.workspaceId, documents, found: byAll });
  const rest = names?.rest && partsIn(pack, names.rest);
  const { lexical, dense } = rest ?? asWritten;
  const words = rest === undefined ? byAll : searchWords(rest.lexical);
  // Dense spaces look for pages of their own meanwhile, and then score both at once.
  const byWords = words.then(async (hits) => {
    const named = new Set((await documents)?.named.map(documentKey));
    return hits.flatMap((some) =>
      some.filter((hit, rank) => rank < shareScored * scope.limit || named.has(documentKey(hit))),
    );
  });
  // A dense space that fails by itself never asks for it; the failure of the words is thrown below.
  byWords.catch(() => undefined);
  const nearest = dense.map(async ({ space, asked }) =>
    isSearched(space) ? observePart(gatherer, "vectors", () => vectors.searchDense(space, asked, scope, byWords)) : [],
  );
  const [inWords, ...inDense] = await Promise.all([words, ...nearest]);
  const candidates = candidatesOf([
    ...lexical.map(({ space }, index) => [space.name, inWords[index] ?? []] as const),
    ...dense.map(({ space }, index) => [space.name, inDense[index] ?? []] as const),
  ]);
  const others = dense.map(async ({ space, asked }) => {
    const unknown = unknownTo(space, candidates, lexical);
    if (unknown.length === 0) return [];
    return observePart(gatherer, "scores", () => vectors.scorePages(space, asked, unknown, scope.workspaceId));
  });
  for (const [index, hits] of (await Promise.all(others)).entries()) {
    const space = dense[index]?.space;
    if (space !== undefined) candidates.add(space.name, hits);
  }
  return { candidates, meant: names?.meant ?? new Set() };
}

/** The candidates that a space has not been asked about. One that looks for pages has scored those that words have found. */
function unknownTo(space: DenseSpace, { pages, spaces }: Candidates, lexical: Parts["lexical"]): readonly PageKey[] {
  const asked = isSearched(space) ? [space, ...lexical.map((part) => part.space)] : [space];
  const known = asked.flatMap(({ name }) => spaces.get(name)?.scores ?? []);
  return pages.filter((_, place) => known.every((scores) => Number.isNaN(scores[place])));
}

interface Written {
  readonly workspaceId: SearchScope["workspaceId"];
  readonly documents: Promise<FoundDocuments> | undefined;
  /** By the words as they are written. */
  readonly found: Promise<readonly (readonly PageHit[])[]>;
}

/** What the question says of documents by their names; undefined where it names none. */
async function namesIn(
  gatherer: Gatherer,
  { lexical }: Parts,
  { workspaceId, documents, found }: Written,
): Promise<ReadNames | undefined> {
  const [part] = lexical;
  if (documents === undefined || part === undefined) return undefined;
  // It fails again where it is awaited for its hits.
  found.catch(() => undefined);
  const known = await documents;
  if (known.named.length === 0) return undefined;
  return readNames(gatherer, known, { text: part.text, workspaceId, found: (await found).flat() });
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

interface Parts {
  readonly lexical: { readonly space: LexicalSpace; readonly text: string }[];
  readonly dense: { readonly space: DenseSpace; readonly asked: readonly Float32Array[] }[];
}

/** The parts of a query with the spaces that they are for. */
export function partsIn(pack: PackRanking, query: readonly QueryInSpace[]): Parts {
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
