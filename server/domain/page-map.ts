/** Identifies a row: a page in one generation of its dataset's index. */
interface Row {
  readonly datasetId: string;
  readonly page: number;
  readonly generation: string;
}

/**
 * A map of rows by dataset, generation and page; a map with a text as the key of each row takes several times as
 * long.
 */
export interface PageMap<Value> {
  get(row: Row): Value | undefined;
  set(row: Row, value: Value): void;
  delete(row: Row): void;
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

/** Some 7 MB. */
const maxRemembered = 50_000;

/**
 * Caches the text keys of rows: a search needs the keys of each of its candidates some eight times, and a new
 * string must also be hashed by every map that looks it up.
 */
export function rememberTexts<Named extends Row>(textOf: (row: Named) => string): (row: Named) => string {
  let texts = createPageMap<string>();
  let count = 0;
  return (row) => {
    const known = texts.get(row);
    if (known !== undefined) return known;
    const text = textOf(row);
    if (count >= maxRemembered) {
      texts = createPageMap();
      count = 0;
    }
    texts.set(row, text);
    count += 1;
    return text;
  };
}

/** Caches the parsed values of texts in the same way. */
export function rememberParsed<Value extends object>(
  parse: (text: string) => Value | undefined,
): (text: string) => Value | undefined {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = parse(text);
    if (value === undefined) return undefined;
    if (values.size >= maxRemembered) values.clear();
    values.set(text, value);
    return value;
  };
}
