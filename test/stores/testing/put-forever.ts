import { openFolderBlobs } from "../../../server/storage/blobs/folder.ts";

// Begins to write a blob, says so, and never ends.
const [root = ""] = process.argv.slice(2);
const blobs = await openFolderBlobs(root);
const keepAlive = setInterval(() => undefined, 1000);
await blobs.put("originals/endless", endless());
clearInterval(keepAlive);

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(100_000);
  process.send?.("writing");
  await new Promise(() => undefined);
}
