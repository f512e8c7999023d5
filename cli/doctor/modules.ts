import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Check, fail, ok, reasonIn, warn } from "./check.ts";
import type { ConverterChoice } from "@drs/server/converters";

/** Packages with native code or WebAssembly, and what the service needs each for. */
const modules: readonly (readonly [name: string, purpose: string, load?: () => Promise<unknown>])[] = [
  ["@lancedb/lancedb", "vector index"],
  ["onnxruntime-node", "embeddings", async () => (await import("@drs/server/packs")).loadOnnxruntime()],
  ["sharp", "pictures"],
  ["@napi-rs/canvas", "second PDF engine"],
  ["@embedpdf/pdfium", "PDF engine"],
  ["node:sqlite", "metadata"],
];

/** Checks that each module loads as it would in the server. Without the instructions that LanceDB needs, loading it would end the process. */
export async function checkModules(hasInstructions = true): Promise<Check[]> {
  const checks: Check[] = [];
  // In sequence, because each takes memory and time of its own.
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

/** Resolves modules from the server package: npm may have put them where this package cannot see them. */
function addressOf(name: string): string {
  if (name.startsWith("node:")) return name;
  try {
    return pathToFileURL(createRequire(import.meta.resolve("@drs/server")).resolve(name)).href;
  } catch {
    // Not a CommonJS module, or not installed: the import shows which.
    return name;
  }
}

/** Reports which engine converts Office documents here, and why. */
export async function checkConverter(choice: ConverterChoice): Promise<Check> {
  const name = "Office converter";
  try {
    const { createConverters } = await import("@drs/server/converters");
    const conversions = createConverters({ choice });
    const { inUse, reason, engines } = await conversions.describe();
    await conversions.close();
    const [first] = inUse;
    const engine = first && engines[first];
    if (engine?.available === true) return ok(name, `${reason} (${engine.version}, ${engine.location})`);
    const next =
      "install LibreOffice, or npm install @matbee/libreoffice-converter, or set --converter (DRS_CONVERTER) to auto; PDF works without";
    return warn(name, reason, next);
  } catch (cause) {
    return warn(name, reasonIn(cause), "install drs again; PDF works without");
  }
}

/** Checks that the model pack is complete: every file exists and has the checksum in the manifest. */
export async function checkModel(model: string, modelsDir: string, signal: AbortSignal): Promise<Check> {
  const name = "model pack";
  try {
    const { resolvePackDir, verifyPack } = await import("@drs/server/packs");
    const manifest = await verifyPack(resolvePackDir(model, modelsDir), signal);
    return ok(name, `${manifest.id} is complete`);
  } catch (cause) {
    signal.throwIfAborted();
    return fail(
      name,
      reasonIn(cause),
      model === "builtin"
        ? "check out the repository or install drs again"
        : "check --model or DRS_MODEL: drs models list shows the installed packs",
    );
  }
}
