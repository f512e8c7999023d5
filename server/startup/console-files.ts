import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConsoleFile, ReadConsole } from "../transport/endpoints/console.ts";

/** The folder of the bundled console, which `npm run build` writes. */
const built = fileURLToPath(new URL("../console", import.meta.url));
/** The bundler of the console in a repository; packages do not depend on it. */
const bundler = new URL("../../console/build.ts", import.meta.url);

/** Reads the console's files from the package, or bundles them from the repository, once, at the first call. */
export function createConsoleFiles(): ReadConsole {
  let reading: Promise<readonly ConsoleFile[]> | undefined;
  return async () => {
    reading ??= existsSync(built) ? readBuilt() : bundle();
    try {
      return await reading;
    } catch (cause) {
      reading = undefined;
      throw cause;
    }
  };
}

async function bundle(): Promise<readonly ConsoleFile[]> {
  const { buildConsole }: { buildConsole: () => Promise<readonly ConsoleFile[]> } = await import(bundler.href);
  return buildConsole();
}

async function readBuilt(): Promise<readonly ConsoleFile[]> {
  const names = (await readdir(built)).filter((name) => !/\.(?:gz|br)$/.test(name));
  return Promise.all(
    names.map(async (name) => {
      const path = join(built, name);
      const [bytes, gzip, brotli] = await Promise.all([readFile(path), readFile(`${path}.gz`), readFile(`${path}.br`)]);
      return { name, bytes, gzip, brotli };
    }),
  );
}
