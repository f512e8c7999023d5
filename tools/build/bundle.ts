import { cpSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fromRegistry, isCarried, leftOut, platforms, withPlatforms } from "./contents.ts";
import { nameOf, readLockfile, resolveFrom } from "./lockfile.ts";
import { readManifest } from "./manifests.ts";

/** Returns the paths of packages that those at `roots` need, without those from the registry and those that drs does not use. */
export function carriedPackages(roots: readonly string[], own: readonly string[]): string[] {
  const lockfile = readLockfile("package-lock.json");
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

/** Writes the manifest, which npm reads for dependencies and scripts to run, also of bundled packages. */
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
