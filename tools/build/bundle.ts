import { cpSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fromRegistry, isCarried, leftOut, platforms, withPlatforms } from "./contents.ts";
import { type Lockfile, nameOf, readLockfile, resolveFrom } from "./lockfile.ts";
import { readManifest } from "./manifests.ts";

/** The packages that the ones at `roots` need, by where they lie, without what the registry has or drs does not use. */
export function carriedPackages(lockfile: Lockfile, roots: readonly string[], own: readonly string[]): string[] {
  const carried = new Set<string>();
  const visit = (path: string): void => {
    const skipped = new Set([...own, ...fromRegistry, ...(leftOut[nameOf(path)] ?? [])]);
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

/** Copies what the packages at `roots` need from `node_modules` to that of `target`. Returns the names at its top. */
export function bundle(roots: readonly string[], own: readonly string[], target: string): string[] {
  const paths = carriedPackages(readLockfile("package-lock.json"), roots, own);
  for (const path of paths) copyPackage(path, join(target, path));
  return paths.filter((path) => path.lastIndexOf("node_modules/") === 0).map(nameOf);
}

function copyPackage(from: string, to: string): void {
  const name = nameOf(from);
  cpSync(from, to, {
    recursive: true,
    // Their own node_modules are packages of their own.
    filter: (source) => {
      const file = relative(from, source);
      return file === "" || (file !== "node_modules" && (statSync(source).isDirectory() || isCarried(name, file)));
    },
  });
  writeManifest(from, to, new Set(leftOut[name]));
}

/** npm looks here for what to install and to run, also of packages that are carried. */
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

/** The packages for one platform each of those that are carried without them. */
export function platformPackages(): Record<string, string> {
  const named = withPlatforms.flatMap((name) =>
    Object.entries(readManifest(join("node_modules", name, "package.json")).optionalDependencies),
  );
  return Object.fromEntries(named.filter(([name]) => platforms.test(name)));
}
