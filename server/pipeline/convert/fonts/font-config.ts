import { escapeText } from "../../../formats/xml-edits.ts";
import { mkdir, open, readFile, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { cjkFonts, scriptFonts } from "./packages.ts";
import { wasmFolder } from "../wasm/package.ts";
import { execFile } from "node:child_process";

/** The font family for each language; appended last, so that the fonts of a system or a document come first. */
const families = [
  ["ja", "Noto Sans Japanese"],
  ["ko", "Noto Sans Korean"],
  ["zh", "Noto Sans S Chinese"],
] as const;

/**
 * Writes the fonts that come with drs, and a fontconfig file (format: fonts-conf(5)) that adds them to the system's fonts.
 * Returns the path of that file, for the variable FONTCONFIG_FILE.
 */
export async function layOutFonts(folder: string): Promise<string> {
  const fonts = join(folder, "fonts");
  await mkdir(fonts, { recursive: true });
  await extractBundledFonts(fonts);
  for (const { name, path } of [...cjkFonts(), ...scriptFonts()]) await symlink(path, join(fonts, name));
  const file = join(folder, "fonts.conf");
  await writeFile(file, configuration(fonts));
  return file;
}

function configuration(fonts: string): string {
  // Conversions run with another home folder, but the fonts in the real one are used.
  const folders = [join(homedir(), ".local/share/fonts"), join(homedir(), ".fonts"), fonts];
  const preferences = families.map(
    ([language, family]) =>
      `  <match target="pattern"><test name="lang" compare="contains"><string>${language}</string></test>` +
      `<edit name="family" mode="append_last" binding="weak"><string>${family}</string></edit></match>`,
  );
  return [
    `<?xml version="1.0"?>`,
    `<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">`,
    `<fontconfig>`,
    `  <include ignore_missing="yes">${escapeText(process.env["FONTCONFIG_FILE"] ?? "/etc/fonts/fonts.conf")}</include>`,
    ...folders.map((path) => `  <dir>${escapeText(path)}</dir>`),
    `  <cachedir>${escapeText(join(fonts, "..", "font-cache"))}</cachedir>`,
    ...preferences,
    `</fontconfig>`,
    ``,
  ].join("\n");
}

/**
 * Fonts of WASM LibreOffice that many systems lack: Carlito, Caladea and Liberation, which have the widths of Microsoft's fonts,
 * so that lines and pages break where the authors saw them break, and Noto for other scripts.
 */
const wanted = /^(Carlito|Caladea|Liberation|Noto)[\w-]*\.(ttf|otf)$/;

/** An entry in the index of the package's file system image, as Emscripten's file packager writes it. */
const indexEntry = /\{filename:"([^"]+)",start:(\d+),end:(\d+)\}/g;

/** Writes fonts from the package of WASM LibreOffice into a folder, for system LibreOffice. Returns their names. */
async function extractBundledFonts(folder: string): Promise<string[]> {
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

/** Time limit, longer than a query of the font cache takes. */
const timeoutMs = 10_000;

/** Whether a system font has the letter according to fontconfig; also true if fontconfig is not available. */
export function hasSystemFont(letter: string): Promise<boolean> {
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  return new Promise((resolve) => {
    execFile("fc-list", [`:charset=${code}`, "file"], { timeout: timeoutMs }, (error, stdout) =>
      resolve(error !== null || stdout.trim() !== ""),
    );
  });
}
