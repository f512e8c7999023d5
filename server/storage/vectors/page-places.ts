import type { PageKey } from "../../domain/ports/vectors.ts";
import { createPageMap } from "./page-map.ts";
import { shareTexts } from "./shared-texts.ts";

/** Numbers rows, so that what is known of them can be kept in arrays. */
export interface PagePlaces {
  /** The next row's. */
  push(page: PageKey): void;
  pageAt(place: number): PageKey;
  placeOf(page: PageKey): number | undefined;
}

export function createPagePlaces(): PagePlaces {
  const pages: PageKey[] = [];
  const places = createPageMap<number>();
  const datasetIds = shareTexts<PageKey["datasetId"]>();
  const generations = shareTexts<PageKey["generation"]>();
  return {
    push({ datasetId, generation, page }) {
      const row = { datasetId: datasetIds(datasetId), generation: generations(generation), page };
      places.set(row, pages.push(row) - 1);
    },
    pageAt(place) {
      const page = pages[place];
      if (page === undefined) throw new RangeError(`no row at ${place}`);
      return page;
    },
    placeOf: places.get,
  };
}
