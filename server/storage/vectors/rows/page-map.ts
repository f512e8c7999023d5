import type { PageKey } from "../../../domain/ports/vectors.ts";

/** A map of rows by dataset, generation and page; looking up a text for each row takes several times as long. */
export interface PageMap<Value> {
  get(page: PageKey): Value | undefined;
  set(page: PageKey, value: Value): void;
  delete(page: PageKey): void;
}

export function createPageMap<Value>(): PageMap<Value> {
  const datasets = new Map<string, Map<string, Map<number, Value>>>();
  return {
    get: ({ datasetId, generation, page }) => datasets.get(datasetId)?.get(generation)?.get(page),
    set({ datasetId, generation, page }, value) {
      const generations = datasets.get(datasetId) ?? new Map<string, Map<number, Value>>();
      datasets.set(datasetId, generations);
      const pages = generations.get(generation) ?? new Map<number, Value>();
      generations.set(generation, pages);
      pages.set(page, value);
    },
    delete: ({ datasetId, generation, page }) => datasets.get(datasetId)?.get(generation)?.delete(page),
  };
}
