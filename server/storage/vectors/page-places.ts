import type { PageKey } from "../../domain/ports/vectors.ts";

/** Numbers rows, so that what is known of them can be kept in arrays. Each is there once. */
export interface PagePlaces {
  /** The next row's. */
  push(page: PageKey): void;
  pageAt(place: number): PageKey;
  placeOf(page: PageKey): number | undefined;
}

/** One generation of a dataset's index: its places by page. */
interface Generation extends Pick<PageKey, "datasetId" | "generation"> {
  readonly places: Map<number, number>;
}

export function createPagePlaces(): PagePlaces {
  const pages: PageKey[] = [];
  const datasets = new Map<string, Map<string, Generation>>();

  function generationOf({ datasetId, generation }: PageKey): Generation {
    const generations = datasets.get(datasetId) ?? new Map<string, Generation>();
    datasets.set(datasetId, generations);
    const known = generations.get(generation) ?? { datasetId, generation, places: new Map() };
    generations.set(generation, known);
    return known;
  }

  return {
    push(page) {
      // Of a million rows each would have a text of its own otherwise.
      const { datasetId, generation, places } = generationOf(page);
      places.set(page.page, pages.push({ datasetId, generation, page: page.page }) - 1);
    },
    pageAt(place) {
      const page = pages[place];
      if (page === undefined) throw new RangeError(`no row at ${place}`);
      return page;
    },
    placeOf: ({ datasetId, generation, page }) => datasets.get(datasetId)?.get(generation)?.places.get(page),
  };
}
