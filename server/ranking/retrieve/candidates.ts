import type { PageHit, PageKey } from "../../domain/ports/vectors.ts";

/**
 * The pages that the spaces of a pack have found for one question, each once. All other lists are by the place of a page in
 * `pages`: a ranking accesses each page many times, and looking it up by its key would take most of the time.
 */
export interface Candidates {
  readonly pages: readonly PageKey[];
  /** The documents that the pages belong to. */
  readonly documents: readonly FoundDocument[];
  /** The hits of each space that was searched, by its name. */
  readonly spaces: ReadonlyMap<string, FoundInSpace>;
  /** The places of the pages that the question names, such as "page 17". */
  readonly named: ReadonlySet<number>;
}

/** A document in one generation of its dataset's index. */
export interface FoundDocument extends Omit<PageKey, "page"> {
  /** The places of the pages that were found, by page number. */
  readonly places: ReadonlyMap<number, number>;
}

export interface FoundInSpace {
  /** Number of pages that the space has found. */
  readonly count: number;
  /** The scores by place; NaN if the space has not found the page. */
  readonly scores: Float64Array;
  /** The vector of a page; undefined if the space has not found the page, or returns no vectors. */
  vectorOf(place: number): Float32Array | undefined;
}

/** Candidates whose pages are all known, but whose scores in some spaces are not. */
interface OpenCandidates extends Candidates {
  /**
   * Adds the hits of a space, except pages that are not candidates. A space may be searched in several ways; the best score of a
   * page counts.
   */
  add(space: string, hits: readonly PageHit[]): void;
}

/**
 * The minimum number of hits to request per space. A shorter result means that the space has no more hits: a page that is not in
 * the result does not match there at all.
 */
export const minCandidates = 100;

/**
 * The number of hits to request per space. A page far down in one space can still come first; four times the number of results
 * was enough on the tuning sets.
 */
export const candidatesFor = (limit: number): number => Math.max(minCandidates, 4 * limit);

/**
 * Collects the pages of all hits, in the order of the hits, and the pages that the question names. A space may occur more than
 * once.
 */
export function candidatesOf(
  found: Iterable<readonly [space: string, hits: readonly PageHit[]]>,
  namedPages: readonly PageKey[] = [],
): OpenCandidates {
  const lists = [...found];
  const { pages, documents, placeOf } = numberPages([...lists.map(([, hits]) => hits), namedPages]);
  const spaces = new Map<string, OpenSpace>();
  function add(name: string, hits: readonly PageHit[]): void {
    let space = spaces.get(name);
    if (space === undefined) spaces.set(name, (space = openSpace(pages.length)));
    for (const hit of hits) {
      const place = placeOf(hit);
      if (place !== undefined) space.take(place, hit);
    }
  }
  for (const [name, hits] of lists) add(name, hits);
  const named = new Set(namedPages.flatMap((page) => placeOf(page) ?? []));
  return { pages, documents, spaces, named, add };
}

/**
 * Returns the places of the pages that have a value, in descending order of value. Pages with equal values are ordered by dataset
 * id and page number.
 */
export function bestFirst(pages: readonly PageKey[], values: Float64Array): readonly number[] {
  const places: number[] = [];
  for (let place = 0; place < pages.length; place++) if (!Number.isNaN(values[place])) places.push(place);
  return places.sort((one, other) => {
    const difference = (values[other] ?? 0) - (values[one] ?? 0);
    return difference === 0 ? byPage(pages[one], pages[other]) : difference;
  });
}

interface Numbered extends Pick<Candidates, "pages" | "documents"> {
  readonly placeOf: (page: PageKey) => number | undefined;
}

function numberPages(lists: readonly (readonly PageKey[])[]): Numbered {
  const pages: PageKey[] = [];
  const documents: (FoundDocument & { readonly places: Map<number, number> })[] = [];
  /** The places by dataset and generation. */
  const generations = new Map<string, Map<string, Map<number, number>>>();
  function placesOf(datasetId: PageKey["datasetId"], generation: string): Map<number, number> {
    let ofDataset = generations.get(datasetId);
    if (ofDataset === undefined) generations.set(datasetId, (ofDataset = new Map()));
    let places = ofDataset.get(generation);
    if (places === undefined) {
      ofDataset.set(generation, (places = new Map()));
      documents.push({ datasetId, generation, places });
    }
    return places;
  }
  for (const list of lists) {
    for (const { datasetId, page, generation } of list) {
      const places = placesOf(datasetId, generation);
      if (places.has(page)) continue;
      places.set(page, pages.length);
      pages.push({ datasetId, page, generation });
    }
  }
  return {
    pages,
    documents,
    placeOf: ({ datasetId, page, generation }) => generations.get(datasetId)?.get(generation)?.get(page),
  };
}

interface OpenSpace extends FoundInSpace {
  take(place: number, hit: PageHit): void;
}

function openSpace(pages: number): OpenSpace {
  const scores = new Float64Array(pages).fill(Number.NaN);
  /** Hits by place. A vector is decoded only when it is read. */
  const hits = new Map<number, PageHit>();
  return {
    get count() {
      return hits.size;
    },
    scores,
    vectorOf: (place) => hits.get(place)?.vector,
    take(place, hit) {
      const { score } = hit;
      if (score <= (scores[place] ?? Infinity)) return;
      scores[place] = score;
      hits.set(place, hit);
    },
  };
}

/** Compares pages with equal scores, by dataset, page number and generation. */
export function byPage(one: PageKey | undefined, other: PageKey | undefined): number {
  if (one === undefined || other === undefined) return 0;
  if (one.datasetId !== other.datasetId) return one.datasetId < other.datasetId ? -1 : 1;
  if (one.page !== other.page) return one.page - other.page;
  return one.generation < other.generation ? -1 : 1;
}
