import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const name = "@matbee/libreoffice-converter";
const require = createRequire(import.meta.url);

/**
 * Returns the path of the module that loads WASM LibreOffice, in the folder of its files; undefined if the package is not
 * installed.
 */
export function wasmLoaderPath(): string | undefined {
  try {
    return require.resolve(`${name}/wasm/loader`);
  } catch {
    return undefined;
  }
}

export function wasmFolder(): string | undefined {
  const loader = wasmLoaderPath();
  return loader === undefined ? undefined : dirname(loader);
}

/** Returns the version, such as "2.7.2", or undefined if the package is not installed. */
export function wasmVersion(): string | undefined {
  const folder = wasmFolder();
  if (folder === undefined) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : undefined;
}
