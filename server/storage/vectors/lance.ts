import type * as arrow from "apache-arrow";
import type * as lancedb from "@lancedb/lancedb";

/** The two packages behind the vector store. Types may be imported anywhere, the code only through `loadLance`. */
export interface Lance {
  readonly lancedb: typeof lancedb;
  readonly arrow: typeof arrow;
}

let loading: Promise<Lance> | undefined;

/** Loads LanceDB when it is first needed, so that a process that never searches stays some 100 MB smaller. */
export function loadLance(): Promise<Lance> {
  // Building an index warns about every empty partition. A variable that is already set stays, to show the warnings.
  process.env["LANCEDB_LOG"] ??= "error";
  loading ??= Promise.all([import("@lancedb/lancedb"), import("apache-arrow")]).then(([database, columns]) => ({
    lancedb: database,
    arrow: columns,
  }));
  return loading;
}
