/**
 * The contents of the package `drs`, and the packages that npm gets from the registry. The package bundles everything that is the
 * same on all platforms, and onnxruntime. Otherwise npm would warn about packages that require a newer Node than the one that runs
 * npm, run their install scripts, and install dependencies that drs does not use.
 */

/** LibreOffice is not bundled because of its size. */
export const fromRegistry: readonly string[] = ["@matbee/libreoffice-converter"];

/** Bundled packages whose machine code is in a separate package for each platform. */
export const withPlatforms: readonly string[] = ["@lancedb/lancedb", "@napi-rs/canvas", "sharp"];

/**
 * The platforms of onnxruntime. It does not support musl. Older versions of npm install packages for musl beside those for glibc,
 * since they respect `libc` only in lockfiles.
 */
export const platforms = /-(darwin-arm64|linux-(x64|arm64)(-gnu)?|win32-(x64|arm64)(-msvc)?)$/;

/** Dependencies of bundled packages that drs does not use. */
export const leftOut: Readonly<Record<string, readonly string[]>> = {
  // Used only by the script that downloads CUDA libraries from api.nuget.org.
  "onnxruntime-node": ["adm-zip", "global-agent"],
  // Reports installations to its makers.
  "swagger-ui-dist": ["@scarf/scarf"],
};

/** Files of bundled packages: only those that match, or all except those that match; all without an entry. */
const files: Readonly<Record<string, { only: RegExp } | { except: RegExp }>> = {
  "@embedpdf/fonts-jp": { only: /^(dist|fonts\/NotoSansJP-(Regular|Bold)\.otf)/ },
  "@embedpdf/fonts-kr": { only: /^(dist|fonts\/NotoSansKR-(Regular|Bold)\.otf)/ },
  "@embedpdf/fonts-sc": { only: /^(dist|fonts\/NotoSansHans-(Regular|Bold)\.otf)/ },
  ...Object.fromEntries(
    ["bengali", "gujarati", "gurmukhi", "kannada", "khmer", "malayalam", "myanmar", "oriya"]
      .concat("sinhala", "tamil", "telugu", "thai")
      .map((script) => [`@expo-google-fonts/noto-sans-${script}`, { only: /^(400Regular|700Bold)\// }]),
  ),
  "@expo-google-fonts/noto-sans-ethiopic": { only: /^400Regular\// },
  "@expo-google-fonts/noto-serif-tibetan": { only: /^400Regular\// },
  "@expo-google-fonts/noto-emoji": { only: /^400Regular\// },
  // The first library is there twice, under two names. The others belong to DirectML and WebGPU, which drs does not use.
  "onnxruntime-node": { except: /^script|libonnxruntime\.1\.\d+\.\d+\.dylib$|\/(DirectML|dxcompiler|dxil)\.dll$/ },
  "@bufbuild/cel-spec": { except: /testdata/ },
  bintrees: { except: /^test/ },
  "pdfjs-dist": { only: /^(legacy\/build\/pdf(\.worker)?\.mjs|cmaps|iccs|standard_fonts|wasm)/ },
  pdfkit: { except: /^\.yarn|standalone/ },
  "swagger-ui-dist": { only: /^(swagger-ui\.css|swagger-ui-bundle\.js|swagger-ui-standalone-preset\.js|[\w-]+\.png)$/ },
};

const always = /^(package\.json|licen[cs]e.*|notice.*|readme.*|ofl.*)$/i;

/** Whether the file of a package is bundled. */
export function isCarried(name: string, file: string): boolean {
  if (always.test(file)) return true;
  // Source maps, and types that no program uses.
  if (/\.(map|d\.[cm]?ts)$/.test(file)) return false;
  const rule = files[name];
  if (rule === undefined) return true;
  return "only" in rule ? rule.only.test(file) : !rule.except.test(file);
}
