import { writeSync } from "node:fs";
import type { DatasetId } from "../../../../server/domain/ids.ts";
import { openLanceVectors } from "../../../../server/storage/vectors/open.ts";
import { datasetAt, dense, lexical, rowsAt, workspaceId } from "./index-rows.ts";

// Puts one dataset after another, removes every third again, and maintains. Says what has been answered:
// `put N`, `removing N`, `removed N`.
const [root = "", first = "0", count = "0"] = process.argv.slice(2);
const store = await openLanceVectors({ url: root, retentionMs: 50 });
const say = (text: string): void => void writeSync(1, `${text}\n`);

for (let at = Number(first); at < Number(first) + Number(count); at++) {
  const datasetId: DatasetId = datasetAt(at);
  const rows = rowsAt(at);
  await Promise.all([
    store.putDense(
      dense,
      rows.map(({ vectors, page }) => ({ workspaceId, datasetId, page, generation: "a1", vectors })),
    ),
    store.putLexical(
      lexical,
      rows.map(({ words, page }) => ({ workspaceId, datasetId, page, generation: "a1", words })),
    ),
  ]);
  say(`put ${at}`);
  if (at % 3 === 2) {
    say(`removing ${at - 1}`);
    await store.removeDataset(datasetAt(at - 1), { generation: "a1" });
    say(`removed ${at - 1}`);
  }
  if (at % 2 === 1) await store.maintain();
}
await store.close();
