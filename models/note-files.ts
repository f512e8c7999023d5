import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../server/embedding/load.ts";

/** `node note-files.ts PACK`: writes the sizes and hashes of a pack's files into its pack.json. */
const [, , packDir] = process.argv;
if (packDir === undefined) throw new Error("give the folder of a pack");
const manifestFile = join(packDir, "pack.json");
let text = await readFile(manifestFile, "utf8");
for (const { path, bytes, sha256 } of (await readManifest(packDir)).files) {
  const content = await readFile(join(packDir, path));
  const hash = createHash("sha256").update(content).digest("hex");
  // As text, so that the file keeps its format.
  const entry = new RegExp(`("path": "${RegExp.escape(path)}",\\s*"bytes": )${bytes}(,\\s*"sha256": ")${sha256}"`);
  if (!entry.test(text)) throw new Error(`${manifestFile} does not have ${path}, bytes and sha256 in this order`);
  text = text.replace(entry, (_, before: string, between: string) => `${before}${content.length}${between}${hash}"`);
}
await writeFile(manifestFile, text);
