import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

export interface FontFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Noto Sans for Japanese, Korean and Chinese (OFL 1.1). The Chinese one has the characters of GB 2312 and all of Big5,
 * so a fourth, for traditional forms, would bring hardly a character more.
 */
const cjk = [
  { package: "@embedpdf/fonts-jp", files: ["NotoSansJP-Regular.otf", "NotoSansJP-Bold.otf"] },
  { package: "@embedpdf/fonts-kr", files: ["NotoSansKR-Regular.otf", "NotoSansKR-Bold.otf"] },
  { package: "@embedpdf/fonts-sc", files: ["NotoSansHans-Regular.otf", "NotoSansHans-Bold.otf"] },
] as const;

/** The fonts that show Japanese, Korean and Chinese where a document brings none of its own. */
export function cjkFonts(): FontFile[] {
  return cjk.flatMap(({ package: name, files }) => {
    const folder = join(dirname(require.resolve(name)), "..", "fonts");
    return files.map((file) => ({ name: file, path: join(folder, file) }));
  });
}
