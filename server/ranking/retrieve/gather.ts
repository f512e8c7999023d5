import { documentKey, type PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import type { DenseSpace, LexicalSpace, PageHit, PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import type { QueryInSpace } from "../../domain/ports/worker.ts";
import { observePart, type PartObservers } from "../observe-part.ts";
import { type Candidates, candidatesOf } from "./candidates.ts";
import type { FoundDocuments } from "./documents.ts";
import { findNamedPages, type PageCounts } from "./named-pages.ts";
import { type NameReader, type ReadNames, readNames } from "./names.ts";

/** The pack and the stores from which candidates are gathered. */
export interface Gatherer extends PartObservers, PageCounts, Pick<NameReader, "embed"> {
  readonly pack: PackRanking;
  readonly vectors: Pick<VectorStore, "searchLexical" | "searchDense" | "scorePages" | "termsOf">;
}

/**
 * The share of the pages found by words, beginning with the best, that vectors score as well. A page further down that no vector
 * has found does not rank among the first, and reading its vectors would take just as long.
 */
const shareScored = 0.3;

/**
 * Gathers the hits of all spaces, `scope.limit` pages each, and the pages that the question names. Every dense space also scores
 * the pages that other spaces have found, unless a page has no vectors in it or is far down among the pages found by words.
 */
export async function gatherCandidates(
  gatherer: Gatherer,
  query: readonly QueryInSpace[],
  scope: SearchScope,
  documents?: Promise<FoundDocuments>,
): Promise<{ readonly candidates: Candidates; readonly targets: ReadNames["targets"] }> {
  // The promise is awaited later, and may reject before that.
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
  // Meanwhile, dense spaces find their own pages, and then score these and the pages found by words together.
  const byWords = words.then(async (hits) => {
    const named = new Set((await documents)?.named.map(documentKey));
    return hits.flatMap((some) =>
      some.filter((hit, rank) => rank < shareScored * scope.limit || named.has(documentKey(hit))),
    );
  });
  // A dense space that fails never awaits this promise; a failure of the search by words is thrown below.
  byWords.catch(() => undefined);
  const nearest = dense.map(async ({ space, asked }) =>
    isSearched(space) ? observePart(gatherer, "vectors", () => vectors.searchDense(space, asked, scope, byWords)) : [],
  );
  const [inWords, ...inDense] = await Promise.all([words, ...nearest]);
  const [text] = asWritten.lexical.map((part) => part.text);
  const found = [...inWords, ...inDense].flat();
  const namedPages =
    text === undefined ? [] : await findNamedPages(gatherer, { text, scope, found, documents: await documents });
  const candidates = candidatesOf(
    [
      ...lexical.map(({ space }, index) => [space.name, inWords[index] ?? []] as const),
      ...dense.map(({ space }, index) => [space.name, inDense[index] ?? []] as const),
    ],
    namedPages,
  );
  const others = dense.map(async ({ space, asked }) => {
    const unknown = unknownTo(space, candidates, lexical);
    if (unknown.length === 0) return [];
    return observePart(gatherer, "scores", () => vectors.scorePages(space, asked, unknown, scope.workspaceId));
  });
  for (const [index, hits] of (await Promise.all(others)).entries()) {
    const space = dense[index]?.space;
    if (space !== undefined) candidates.add(space.name, hits);
  }
  return { candidates, targets: names?.targets ?? new Set() };
}

/**
 * Returns the candidates that a space has not scored. A space that finds pages of its own has also scored the pages found by
 * words.
 */
function unknownTo(space: DenseSpace, { pages, spaces }: Candidates, lexical: Parts["lexical"]): readonly PageKey[] {
  const asked = isSearched(space) ? [space, ...lexical.map((part) => part.space)] : [space];
  const known = asked.flatMap(({ name }) => spaces.get(name)?.scores ?? []);
  return pages.filter((_, place) => known.every((scores) => Number.isNaN(scores[place])));
}

interface NameQuery {
  readonly workspaceId: SearchScope["workspaceId"];
  readonly documents: Promise<FoundDocuments> | undefined;
  /** The pages found by the question as it is written. */
  readonly found: Promise<readonly (readonly PageHit[])[]>;
}

/** Reads the names of documents in the question; returns undefined if it names none. */
async function namesIn(
  gatherer: Gatherer,
  { lexical }: Parts,
  { workspaceId, documents, found }: NameQuery,
): Promise<ReadNames | undefined> {
  const [part] = lexical;
  if (documents === undefined || part === undefined) return undefined;
  // A failure is thrown when the hits are awaited.
  found.catch(() => undefined);
  const known = await documents;
  if (known.named.length === 0) return undefined;
  return readNames(gatherer, known, { text: part.text, workspaceId, found: (await found).flat() });
}

interface WordQuery {
  readonly space: LexicalSpace;
  readonly text: string;
  readonly scope: SearchScope;
  readonly documents: Promise<FoundDocuments> | undefined;
}

/** Maximum number of pages of the documents that match the question best as a whole. */
const pagesOfBest = 50;

/** Returns the pages that match the words best, and the best pages of the documents that match best. */
async function findByWords(
  vectors: Pick<VectorStore, "searchLexical">,
  { space, text, scope, documents }: WordQuery,
): Promise<readonly PageHit[]> {
  const also = documents?.then(({ best }) => ({ datasetIds: best, limit: pagesOfBest }));
  // A store that cannot be reached fails before it awaits this promise, whose rejection must not stay unhandled.
  also?.catch(() => undefined);
  return vectors.searchLexical(space, text, scope, also);
}

/** Whether the space finds pages of its own. */
const isSearched = ({ firstPass }: DenseSpace): boolean => firstPass !== "none";

interface Parts {
  readonly lexical: { readonly space: LexicalSpace; readonly text: string }[];
  readonly dense: { readonly space: DenseSpace; readonly asked: readonly Float32Array[] }[];
}

/** Returns the parts of a query with their spaces. */
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
