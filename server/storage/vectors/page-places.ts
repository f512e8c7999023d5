import type { DatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { createPageMap } from "./page-map.ts";
import { shareTexts } from "./shared-texts.ts";

/** Numbers rows, so that what is known of them can be kept in arrays. */
export interface PagePlaces {
  /** The next row's. */
  push(page: PageKey): void;
  /** The row is not there any more; false if it was not. Its place is given to no other. */
  remove(place: number): boolean;
  pageAt(place: number): PageKey;
  placeOf(page: PageKey): number | undefined;
  /** How many rows datasets that are wanted have. */
  countOf(isWanted: (datasetId: DatasetId) => boolean): number;
  /** Of the rows of datasets that are wanted, ascending. */
  placesOf(isWanted: (datasetId: DatasetId) => boolean): Uint32Array;
}

/** Of rows that have been removed. */
const noDataset = -1;

export function createPagePlaces(): PagePlaces {
  const pages: PageKey[] = [];
  const places = createPageMap<number>();
  const generations = shareTexts<PageKey["generation"]>();
  const datasets = new Map<DatasetId, { readonly id: DatasetId; readonly number: number; count: number }>();
  /** By place, the number of the dataset: to look up the ids of 100,000 rows takes several milliseconds. */
  const datasetOf: number[] = [];
  const datasetWith = (datasetId: DatasetId) => {
    const dataset = datasets.get(datasetId) ?? { id: datasetId, number: datasets.size, count: 0 };
    datasets.set(dataset.id, dataset);
    return dataset;
  };
  return {
    push({ datasetId, generation, page }) {
      const dataset = datasetWith(datasetId);
      const row = { datasetId: dataset.id, generation: generations(generation), page };
      places.set(row, pages.push(row) - 1);
      datasetOf.push(dataset.number);
      dataset.count += 1;
    },
    remove(place) {
      const dataset = datasetOf[place];
      const row = pages[place];
      if (dataset === undefined || dataset === noDataset || row === undefined) return false;
      if (places.get(row) === place) places.delete(row);
      datasetOf[place] = noDataset;
      const known = datasets.get(row.datasetId);
      if (known !== undefined) known.count -= 1;
      return true;
    },
    pageAt(place) {
      const page = pages[place];
      if (page === undefined) throw new RangeError(`no row at ${place}`);
      return page;
    },
    placeOf: places.get,
    countOf: (isWanted) => datasets.values().reduce((sum, { id, count }) => sum + (isWanted(id) ? count : 0), 0),
    placesOf(isWanted) {
      const areWanted = Uint8Array.from(datasets.values(), ({ id }) => (isWanted(id) ? 1 : 0));
      const wanted = new Uint32Array(datasetOf.length);
      let count = 0;
      for (let place = 0; place < datasetOf.length; place++) {
        if (areWanted[datasetOf[place] ?? -1] === 1) wanted[count++] = place;
      }
      return wanted.subarray(0, count);
    },
  };
}
