import type { Table } from "@lancedb/lancedb";
import { loadLance } from "./lance.ts";
import { dimensionsOf } from "./layout.ts";
import { everyPartition } from "./ranking.ts";

/** Reads every value and every index of a table, which takes some seconds per GB. Throws LanceDB's errors. */
export async function readThrough(table: Table): Promise<void> {
  for await (const _ of table.query()) {
    // Only reads the values, some thousand rows at a time.
  }
  const { lancedb } = await loadLance();
  const fields = new Map((await table.schema()).fields.map((field) => [field.name, field.type]));
  for (const { columns, indexType } of await table.listIndices()) {
    const [column = ""] = columns;
    if (indexType === "FTS") {
      await table.query().fullTextSearch(new lancedb.MatchQuery("a1", column)).limit(1).toArrow();
    } else if (indexType.startsWith("Ivf")) {
      const question = new Float32Array(dimensionsOf(fields.get(column))).fill(1);
      const query = table.query().nearestTo(question).column(column).distanceType("cosine").nprobes(everyPartition);
      await query.limit(1).toArrow();
    } else await table.countRows(`${column} = ''`);
  }
}
