import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Check, fail, ok, reasonIn } from "./check.ts";

/** Packages with machine code or WebAssembly, and what the service cannot do without each. */
const modules: readonly (readonly [name: string, purpose: string, load?: () => Promise<unknown>])[] = [
  ["@lancedb/lancedb", "vector index"],
  ["onnxruntime-node", "embeddings", async () => (await import("@drs/server/packs")).loadOnnxruntime()],
  ["sharp", "pictures"],
  ["@napi-rs/canvas", "second PDF engine"],
  ["@embedpdf/pdfium", "PDF engine"],
  ["node:sqlite", "metadata"],
];

/** Loads each module as the server would. Without the instructions that LanceDB needs, loading it would end the process. */
export async function checkModules(hasInstructions = true): Promise<Check[]> {
  const checks: Check[] = [];
  // One after another: each takes memory and time of its own.
  for (const [name, purpose, load = () => import(addressOf(name))] of modules) {
    if (!hasInstructions && name === "@lancedb/lancedb") continue;
    try {
      await load();
      checks.push(ok(name, `loads (${purpose})`));
    } catch (cause) {
      const next = `run "npm install" again; if that does not help, ${name} has no build for ${process.platform} ${process.arch} with this libc`;
      checks.push(fail(name, `does not load (${purpose}): ${reasonIn(cause)}`, next));
    }
  }
  return checks;
}

/** Modules are looked for from the server's place: npm need not have put them where this package sees them. */
function addressOf(name: string): string {
  if (name.startsWith("node:")) return name;
  try {
    return pathToFileURL(createRequire(import.meta.resolve("@drs/server")).resolve(name)).href;
  } catch {
    // Not loadable the way of CommonJS, or not there at all: the import says which.
    return name;
  }
}
