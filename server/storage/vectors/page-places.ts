import type { PageKey } from "../../domain/ports/vectors.ts";
import { createPageMap } from "./page-map.ts";

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
  // Of 100,000 rows each would hold texts of its own otherwise.
  const datasetIds = new Map<string, PageKey["datasetId"]>();
  const generations = new Map<string, string>();
  return {
    push({ datasetId, generation, page }) {
      const row = {
        datasetId: onceIn(datasetIds, datasetId),
        generation: onceIn(generations, generation),
        page,
      };
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

function onceIn<Text extends string>(texts: Map<string, Text>, text: Text): Text {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}
