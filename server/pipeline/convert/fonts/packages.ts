import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

interface FontFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Noto Sans for Japanese, Korean and Chinese (OFL 1.1). The Chinese font has the characters of GB 2312 and all of Big5, so a
 * fourth font for traditional forms would hardly add a character.
 */
const cjk = [
  { package: "@embedpdf/fonts-jp", files: ["NotoSansJP-Regular.otf", "NotoSansJP-Bold.otf"] },
  { package: "@embedpdf/fonts-kr", files: ["NotoSansKR-Regular.otf", "NotoSansKR-Bold.otf"] },
  { package: "@embedpdf/fonts-sc", files: ["NotoSansHans-Regular.otf", "NotoSansHans-Bold.otf"] },
] as const;

/**
 * Noto fonts (OFL 1.1) of the scripts that are missing in most systems and in WASM LibreOffice, which has Arabic, Armenian,
 * Devanagari, Georgian, Hebrew and Lao. A font of over 300 kB comes without its bold face, which LibreOffice then
 * synthesises.
 */
const others = [
  { family: "NotoSansBengali", package: "noto-sans-bengali", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansEthiopic", package: "noto-sans-ethiopic", weights: ["400Regular"] },
  { family: "NotoSansGujarati", package: "noto-sans-gujarati", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansGurmukhi", package: "noto-sans-gurmukhi", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansKannada", package: "noto-sans-kannada", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansKhmer", package: "noto-sans-khmer", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansMalayalam", package: "noto-sans-malayalam", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansMyanmar", package: "noto-sans-myanmar", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansOriya", package: "noto-sans-oriya", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansSinhala", package: "noto-sans-sinhala", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansTamil", package: "noto-sans-tamil", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansTelugu", package: "noto-sans-telugu", weights: ["400Regular", "700Bold"] },
  { family: "NotoSansThai", package: "noto-sans-thai", weights: ["400Regular", "700Bold"] },
  { family: "NotoSerifTibetan", package: "noto-serif-tibetan", weights: ["400Regular"] },
  { family: "NotoEmoji", package: "noto-emoji", weights: ["400Regular"] },
] as const;

/** The fonts for Japanese, Korean and Chinese if a document has none of its own. */
export function cjkFonts(): FontFile[] {
  return cjk.flatMap(({ package: name, files }) => {
    const folder = join(dirname(require.resolve(name)), "..", "fonts");
    return files.map((file) => ({ name: file, path: join(folder, file) }));
  });
}

/** The fonts for other scripts and emoji if a document has none of its own. */
export function scriptFonts(): FontFile[] {
  return others.flatMap(({ family, package: name, weights }) => {
    const folder = dirname(require.resolve(`@expo-google-fonts/${name}/package.json`));
    return weights.map((weight) => ({
      name: `${family}-${weight.slice(3)}.ttf`,
      path: join(folder, weight, `${family}_${weight}.ttf`),
    }));
  });
}
