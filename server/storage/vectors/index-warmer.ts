import type { Table } from "@lancedb/lancedb";

/** Reading indices may take a twentieth of the time. */
const pausePerReading = 20;

interface State {
  /** The version of the table whose index has been read. */
  version: number | undefined;
  isReading: boolean;
  /** By `performance.now`. */
  notBefore: number;
}

/**
 * Reads the index of a table's words into LanceDB's cache, in a few requests for each that is made: otherwise a search asks an
 * object store for every word of a question that nobody has asked for yet. `maxBytes`: a larger one is read by the word. To be
 * called again and again, since the table may change.
 */
export function createIndexWarmer({ maxBytes }: { readonly maxBytes: number }): (table: Table) => void {
  const states = new WeakMap<Table, State>();

  async function warm(table: Table, state: State): Promise<void> {
    const version = await table.version();
    if (version === state.version) return;
    const startedAt = performance.now();
    state.version = version;
    for (const { name, columns, sizeBytes = Infinity } of await table.listIndices()) {
      if (columns.includes("terms") && sizeBytes <= maxBytes) await table.prewarmIndex(name);
    }
    state.notBefore = performance.now() + pausePerReading * (performance.now() - startedAt);
  }

  return (table) => {
    const state = states.get(table) ?? { version: undefined, isReading: false, notBefore: 0 };
    states.set(table, state);
    if (state.isReading || performance.now() < state.notBefore) return;
    state.isReading = true;
    const end = (): void => void (state.isReading = false);
    // What cannot be read now is read by the searches, which say what is wrong.
    warm(table, state).then(end, end);
  };
}
