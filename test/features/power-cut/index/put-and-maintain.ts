import { writeSync } from "node:fs";
import { join } from "node:path";
import { openMetadata } from "../../../../server/storage/metadata/open.ts";
import { openLanceVectors } from "../../../../server/storage/vectors/open.ts";
import { datasetAt, pack, putDataset, workspaceId } from "./index-rows.ts";

// Puts one dataset after another, removes every third again, and maintains, at the end until all is on disk. Says what has been answered:
// `put N TABLE`, `removing N`, `removed N`.
const [root = "", first = "0", count = "0"] = process.argv.slice(2);
const metadata = await openMetadata({ url: undefined, dataDir: root });
const store = await openLanceVectors({ url: join(root, "vectors"), metadata, clock: Date.now, retentionMs: 50 });
const say = (text: string): void => void writeSync(1, `${text}\n`);

for (let at = Number(first); at < Number(first) + Number(count); at++) {
  say(`put ${at} ${await putDataset(store, at)}`);
  if (at % 3 === 2) {
    say(`removing ${at - 1}`);
    await store.remove({ workspaceId, pack: pack.id, datasetId: datasetAt(at - 1), generation: "a1" });
    say(`removed ${at - 1}`);
  }
  if (at % 2 === 1) await store.maintain();
}
// A round that changes nothing puts all on disk.
for (let round = 0; round < 3; round++) await store.maintain();
await store.close();
await metadata.close();
