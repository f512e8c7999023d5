/** The two packages behind the vector store. Types may be imported anywhere; the code only through `loadLance`. */
export interface Lance {
  readonly lancedb: typeof import("@lancedb/lancedb");
  readonly arrow: typeof import("apache-arrow");
}

let loading: Promise<Lance> | undefined;

/** Loads LanceDB when it is first needed: a process that never searches stays some 100 MB smaller. */
export function loadLance(): Promise<Lance> {
  loading ??= Promise.all([import("@lancedb/lancedb"), import("apache-arrow")]).then(([lancedb, arrow]) => ({
    lancedb,
    arrow,
  }));
  return loading;
}
