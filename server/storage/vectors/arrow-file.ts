import type { SpaceRef, StoredRow } from "../../domain/ports/vectors.ts";
import { loadLance } from "./lance.ts";
import { denseTable, storedRows, termsTable } from "./rows.ts";

/** Rows of one space as an Arrow IPC file, with the columns that the store itself has. */
export async function encodeRows(space: SpaceRef, rows: readonly StoredRow[]): Promise<Uint8Array> {
  const lance = await loadLance();
  const table =
    space.kind === "dense"
      ? denseTable(
          lance,
          space,
          rows.flatMap((row) => ("terms" in row ? [] : [row])),
        )
      : termsTable(
          lance,
          space,
          rows.flatMap((row) => ("terms" in row ? [row] : [])),
        );
  return lance.arrow.tableToIPC(table, "file");
}

/** Throws if the bytes are not such a file. */
export async function decodeRows(bytes: Uint8Array): Promise<readonly StoredRow[]> {
  const { arrow } = await loadLance();
  return storedRows(arrow.tableFromIPC(bytes));
}
