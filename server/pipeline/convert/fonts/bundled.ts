import { open, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { wasmFolder } from "../wasm/package.ts";

/**
 * Fonts of WASM LibreOffice that many systems lack: Carlito, Caladea and Liberation, which have the widths of Microsoft's
 * fonts, so that lines and pages break where their authors saw them break; and Noto for other scripts.
 */
const wanted = /^(Carlito|Caladea|Liberation|Noto)[\w-]*\.(ttf|otf)$/;

/** An entry in the index of the package's file system image, as Emscripten's file packager writes it. */
const indexEntry = /\{filename:"([^"]+)",start:(\d+),end:(\d+)\}/g;

/** Writes fonts from the package of WASM LibreOffice into a folder, for system LibreOffice. Returns their names. */
export async function extractBundledFonts(folder: string): Promise<string[]> {
  const source = wasmFolder();
  if (source === undefined) return [];
  const index = await readFile(join(source, "soffice.cjs"), "utf8");
  const image = await open(join(source, "soffice.data"));
  const names: string[] = [];
  try {
    for (const [, path = "", start, end] of index.matchAll(indexEntry)) {
      const name = basename(path);
      if (!wanted.test(name)) continue;
      const bytes = Buffer.alloc(Number(end) - Number(start));
      await image.read(bytes, 0, bytes.length, Number(start));
      await writeFile(join(folder, name), bytes);
      names.push(name);
    }
  } finally {
    await image.close();
  }
  return names;
}
