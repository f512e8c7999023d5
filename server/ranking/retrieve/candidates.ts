import type { PageHit, PageKey } from "../../domain/ports/vectors.ts";

/**
 * The pages that the spaces of a pack have found for one question, each once. The place of a page in `pages` is its number, by
 * which all else is kept: a ranking asks for each of them many times, and to look it up by its name would take most of the time.
 */
export interface Candidates {
  readonly pages: readonly PageKey[];
  /** Those that the pages are of. */
  readonly documents: readonly FoundDocument[];
  /** By the names of the spaces that were asked. */
  readonly spaces: ReadonlyMap<string, FoundInSpace>;
}

/** A document, as one generation of its dataset's index has it. */
export interface FoundDocument extends Omit<PageKey, "page"> {
  /** The places of the pages that were found, by the number that a page has in its document. */
  readonly places: ReadonlyMap<number, number>;
}

export interface FoundInSpace {
  /** How many of the pages the space has found. */
  readonly count: number;
  /** By place; not a number where the space has not found the page. */
  readonly scores: Float64Array;
  /** Undefined of a page that the space has not found, and in a space that gives none. */
  vectorOf(place: number): Float32Array | undefined;
}

/** Candidates whose pages are all known, but not yet what every space makes of them. */
export interface OpenCandidates extends Candidates {
  /**
   * Adds what a space has found, but for pages that are no candidates. A query may be asked in a space in several ways, and a
   * page counts by the one that fits it best.
   */
  add(space: string, hits: readonly PageHit[]): void;
}

/**
 * So many hits per space are asked for at least. A shorter answer means that the space has no more to give: a page
 * that is not in it does not match there at all.
 */
export const minCandidates = 100;

/** A page that is far down in one space can still come first; four times the results was enough on the tuning sets. */
export const candidatesFor = (limit: number): number => Math.max(minCandidates, 4 * limit);

/** The pages of all hits, in the order in which they come. A space may be there more than once. */
export function candidatesOf(found: Iterable<readonly [space: string, hits: readonly PageHit[]]>): OpenCandidates {
  const lists = [...found];
  const { pages, documents, placeOf } = numberPages(lists.map(([, hits]) => hits));
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
  return { pages, documents, spaces, add };
}

/**
 * The places of the pages that have a value, those with the largest first. Of equal values the page that comes first by its
 * dataset's id and its number is first.
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
  /** By dataset and generation. */
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
  /** By place: a vector is only decoded when it is asked for. */
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

/** The order of pages that are equally good: by dataset, number and generation. */
export function byPage(one: PageKey | undefined, other: PageKey | undefined): number {
  if (one === undefined || other === undefined) return 0;
  if (one.datasetId !== other.datasetId) return one.datasetId < other.datasetId ? -1 : 1;
  if (one.page !== other.page) return one.page - other.page;
  return one.generation < other.generation ? -1 : 1;
}
