import { readFileSync } from "node:fs";

/** An entry of package-lock.json. */
export interface LockedPackage {
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
}

export type Lockfile = ReadonlyMap<string, LockedPackage>;

/** Reads package-lock.json. Returns entries by path, such as `node_modules/ink/node_modules/chalk`. */
export function readLockfile(file: string): Lockfile {
  const { packages }: { packages: Record<string, Record<string, unknown>> } = JSON.parse(readFileSync(file, "utf8"));
  const names = (field: unknown): string[] => Object.keys(field ?? {});
  return new Map(
    Object.entries(packages).map(([path, { dependencies, optionalDependencies }]) => [
      path,
      { dependencies: names(dependencies), optionalDependencies: names(optionalDependencies) },
    ]),
  );
}

/** Returns the path at which a package finds another one, as Node resolves it. */
export function resolveFrom(lockfile: Lockfile, path: string, name: string): string {
  for (let folder = path; ; folder = parentOf(folder)) {
    const found = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lockfile.has(found)) return found;
    if (folder === "") throw new Error(`package-lock.json has no ${name} for ${path}`);
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/node_modules/");
  return end === -1 ? "" : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
