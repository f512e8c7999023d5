/** The fields of a row that its text is made of. */
interface Row {
  readonly datasetId: string;
  readonly page: number;
  readonly generation: string;
}

/** Some 7 MB. */
const maxRemembered = 50_000;

/**
 * Caches the text keys of rows: a search needs the keys of each of its candidates some eight times, and a new
 * string must also be hashed by every map that looks it up.
 */
export function rememberTexts<Named extends Row>(textOf: (row: Named) => string): (row: Named) => string {
  /** By dataset, generation and page. */
  const datasets = new Map<string, Map<string, Map<number, string>>>();
  let count = 0;

  function pagesOf({ datasetId, generation }: Row): Map<number, string> {
    let generations = datasets.get(datasetId);
    if (generations === undefined) datasets.set(datasetId, (generations = new Map()));
    let pages = generations.get(generation);
    if (pages === undefined) generations.set(generation, (pages = new Map()));
    return pages;
  }

  return (row) => {
    const known = datasets.get(row.datasetId)?.get(row.generation)?.get(row.page);
    if (known !== undefined) return known;
    const text = textOf(row);
    if (count >= maxRemembered) {
      datasets.clear();
      count = 0;
    }
    pagesOf(row).set(row.page, text);
    count += 1;
    return text;
  };
}

/** Caches the parsed values of texts, likewise. */
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
