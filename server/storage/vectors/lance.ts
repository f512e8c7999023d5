import type * as arrow from "apache-arrow";
import type * as lancedb from "@lancedb/lancedb";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The two packages behind the vector store. Types may be imported anywhere; the code is imported only by `loadLance`.
 */
export interface Lance {
  readonly lancedb: typeof lancedb;
  readonly arrow: typeof arrow;
}

let loading: Promise<Lance> | undefined;

/** Loads LanceDB when it is first needed, so that a process that never searches needs about 100 MB less memory. */
export function loadLance(): Promise<Lance> {
  // LanceDB warns about every empty partition of an index that it builds. A variable that is set already stays
  // unchanged.
  process.env["LANCEDB_LOG"] ??= "error";
  loading ??= Promise.all([import("@lancedb/lancedb"), import("apache-arrow")]).then(([database, columns]) => ({
    lancedb: database,
    arrow: columns,
  }));
  return loading;
}

/** The spill folder of this process; undefined before the first use. */
let own: string | undefined;
/** The number of calls of `open` in progress; `before` is the value of `TMPDIR` before the first of them. */
let opening = 0;
let before: string | undefined;

/**
 * Opens LanceDB while `TMPDIR` points to a folder that is removed when the process ends. On opening, LanceDB creates
 * folders for data that does not fit in memory; all users of the machine may read these, and LanceDB never removes
 * them.
 */
export async function withSpillFolder<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  if (opening === 0) {
    before = process.env["TMPDIR"];
    process.env["TMPDIR"] = spillFolder();
  }
  opening += 1;
  try {
    return await open();
  } finally {
    opening -= 1;
    if (opening === 0) restore();
  }
}

function restore(): void {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
}

function spillFolder(): string {
  // A job that cleans the system's temporary folder may have removed it.
  if (own !== undefined && existsSync(own)) return own;
  const folder = mkdtempSync(join(tmpdir(), `drs-index-${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  own = folder;
  return folder;
}
