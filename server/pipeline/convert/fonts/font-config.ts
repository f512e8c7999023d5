import { escapeText } from "../../../formats/xml-edits.ts";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { extractBundledFonts } from "./bundled.ts";
import { cjkFonts, scriptFonts } from "./packages.ts";

/** The font family for each language; appended last, so that the fonts of a system or a document come first. */
const families = [
  ["ja", "Noto Sans Japanese"],
  ["ko", "Noto Sans Korean"],
  ["zh", "Noto Sans S Chinese"],
] as const;

/**
 * Writes the fonts that come with drs, and a fontconfig file that adds them to the system's own (its format:
 * fonts-conf(5)). Returns that file's path, for the variable FONTCONFIG_FILE.
 */
export async function layOutFonts(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const fonts = join(folder, "fonts");
  await mkdir(fonts, { recursive: true });
  await extractBundledFonts(fonts);
  for (const { name, path } of [...cjkFonts(), ...scriptFonts()]) await symlink(path, join(fonts, name));
  const file = join(folder, "fonts.conf");
  await writeFile(file, configuration(fonts, env));
  return file;
}

function configuration(fonts: string, env: NodeJS.ProcessEnv): string {
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
    `  <include ignore_missing="yes">${escapeText(env["FONTCONFIG_FILE"] ?? "/etc/fonts/fonts.conf")}</include>`,
    ...folders.map((path) => `  <dir>${escapeText(path)}</dir>`),
    `  <cachedir>${escapeText(join(fonts, "..", "font-cache"))}</cachedir>`,
    ...preferences,
    `</fontconfig>`,
    ``,
  ].join("\n");
}
