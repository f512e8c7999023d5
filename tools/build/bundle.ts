import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Manifest, nameOf, readLockfile, readManifest, resolveFrom } from "./manifests.ts";

/** Returns the paths of packages that those at `roots` depend on, without optional ones and those that drs does not use. */
export function carriedPackages(roots: readonly string[], own: readonly string[]): string[] {
  const lockfile = readLockfile("package-lock.json");
  const carried = new Set<string>();
  const visit = (path: string): void => {
    const skipped = new Set([...own, ...(leftOut[nameOf(path)] ?? [])]);
    for (const name of lockfile.get(path)?.dependencies ?? []) {
      if (skipped.has(name) || name.startsWith("@types/")) continue;
      const found = resolveFrom(lockfile, path, name);
      if (carried.has(found)) continue;
      carried.add(found);
      visit(found);
    }
  };
  roots.forEach(visit);
  return [...carried].toSorted();
}

/** Copies the packages at `paths` from `node_modules` to that of `target`. */
export function carry(paths: readonly string[], target: string): void {
  for (const path of paths) copyPackage(path, join(target, path));
}

function copyPackage(from: string, to: string): void {
  const name = nameOf(from);
  cpSync(from, to, {
    recursive: true,
    // Their node_modules are listed as separate packages.
    filter: (source) => {
      const file = relative(from, source);
      return file === "" || (file !== "node_modules" && (statSync(source).isDirectory() || isCarried(name, file)));
    },
  });
  writeManifest(from, to, new Set(leftOut[name]));
}

/** Writes the manifest. npm reads it for dependencies and for scripts to run, even in a bundled package. */
function writeManifest(from: string, to: string, unused: ReadonlySet<string>): void {
  const {
    scripts: _,
    devDependencies: __,
    optionalDependencies: ___,
    ...manifest
  } = readManifest(join(from, "package.json"));
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => !unused.has(name) && !name.startsWith("@types/")),
  );
  writeFileSync(join(to, "package.json"), `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`);
}

/** Returns the platform packages of bundled packages whose machine code is separate. */
export function platformPackages(): Record<string, string> {
  const named = withPlatforms.flatMap((name) =>
    Object.entries(readManifest(join("node_modules", name, "package.json")).optionalDependencies),
  );
  return Object.fromEntries(named.filter(([name]) => platforms.test(name)));
}

/**
 * The contents of the package `drs`, and the packages that npm gets from the registry. The package bundles everything that is the
 * same on all platforms, and onnxruntime. Otherwise npm would warn about packages that require a newer Node than the one that runs
 * npm, run their install scripts, and install dependencies that drs does not use.
 */

/** Bundled packages whose machine code is in a separate package for each platform. */
const withPlatforms: readonly string[] = ["@lancedb/lancedb", "@napi-rs/canvas", "sharp"];

/**
 * The platforms of onnxruntime. It does not support musl. Older versions of npm install packages for musl beside those for glibc,
 * since they respect `libc` only in lockfiles.
 */
const platforms = /-(darwin-arm64|linux-(x64|arm64)(-gnu)?|win32-(x64|arm64)(-msvc)?)$/;

/** Dependencies of bundled packages that drs does not use. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
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
  // The first library is present twice, under two names. The others belong to DirectML and WebGPU, which drs does not use.
  "onnxruntime-node": { except: /^script|libonnxruntime\.1\.\d+\.\d+\.dylib$|\/(DirectML|dxcompiler|dxil)\.dll$/ },
  "@bufbuild/cel-spec": { except: /testdata/ },
  bintrees: { except: /^test/ },
  "pdfjs-dist": { only: /^(legacy\/build\/pdf(\.worker)?\.mjs|cmaps|iccs|standard_fonts|wasm)/ },
  pdfkit: { except: /^\.yarn|standalone/ },
  "swagger-ui-dist": { only: /^(swagger-ui\.css|swagger-ui-bundle\.js|swagger-ui-standalone-preset\.js|[\w-]+\.png)$/ },
};

const always = /^(package\.json|licen[cs]e.*|notice.*|readme.*|ofl.*)$/i;

/** Whether the file of a package is bundled. */
function isCarried(name: string, file: string): boolean {
  if (always.test(file)) return true;
  // Source maps, and types that no program uses.
  if (/\.(map|d\.[cm]?ts)$/.test(file)) return false;
  const rule = files[name];
  if (rule === undefined) return true;
  return "only" in rule ? rule.only.test(file) : !rule.except.test(file);
}

/** SPDX texts of the licences of bundled packages that come without one; the Apache licence is drs's own. */
const texts = readFileSync(new URL("licence-texts.txt", import.meta.url), "utf8");

/** Returns the notices that the licences of the bundled packages require. */
export function noticesOf(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const manifest = readManifest(join(path, "package.json"));
    const text = licenceFile(path) ?? "below, or LICENSE";
    return `- ${nameOf(path)} ${manifest.version}: ${String(manifest["license"])}, ${makerOf(manifest)} (text: ${text})`;
  });
  return `drs carries these packages:\n\n${lines.join("\n")}\n\n${texts}`;
}

/** Returns the notices of packages whose code is in the console, with their licence texts, since their own files are not there. */
export function noticesOfConsole(paths: readonly string[]): string {
  const notices = paths.map((path) => {
    const manifest = readManifest(join(path, "package.json"));
    const own = licenceFile(path);
    const text =
      own === undefined ? `${String(manifest["license"])}; the text is above` : readFileSync(join(path, own), "utf8");
    return `${nameOf(path)} ${manifest.version}, ${makerOf(manifest)}\n\n${text.trim()}`;
  });
  return `\nThe web console holds code of these packages:\n\n${notices.join("\n\n---\n\n")}\n`;
}

const licenceFile = (path: string): string | undefined =>
  readdirSync(path).find((file) => /^(licen[cs]e|copying|notice)/i.test(file));

function makerOf({ author, repository }: Manifest): string {
  for (const field of [author, repository]) {
    if (typeof field === "string" && field !== "") return field;
    const { name, url } = Object.fromEntries(Object.entries(field ?? {}));
    if (typeof name === "string" || typeof url === "string") return String(name ?? url);
  }
  return "its contributors";
}
