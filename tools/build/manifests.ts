import { readFileSync } from "node:fs";

/** The parts of a package.json that the build uses. */
export interface Manifest extends Readonly<Record<string, unknown>> {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

export function readManifest(file: string): Manifest {
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof read !== "object" || read === null) throw new Error(`${file} is not an object`);
  const fields = new Map(Object.entries(read));
  return {
    ...Object.fromEntries(fields),
    version: String(fields.get("version")),
    dependencies: versions(fields.get("dependencies")),
    optionalDependencies: versions(fields.get("optionalDependencies")),
  };
}

function versions(field: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(field ?? {}).map(([name, version]) => [name, String(version)]));
}

/** Returns the published manifest of a package: `.ts` becomes `.js`, and fields for development are left out. */
export function published(manifest: Manifest): Manifest {
  const { devDependencies: _, exports, imports, ...rest } = manifest;
  return {
    ...rest,
    ...(exports === undefined ? {} : { exports: compiled(exports) }),
    ...(imports === undefined ? {} : { imports: compiled(imports) }),
    version: manifest.version,
    dependencies: manifest.dependencies,
    optionalDependencies: manifest.optionalDependencies,
  };
}

function compiled(target: unknown): unknown {
  if (typeof target === "string") return target.replace(/\.ts$/, ".js");
  if (typeof target !== "object" || target === null) return target;
  return Object.fromEntries(Object.entries(target).map(([name, inner]) => [name, compiled(inner)]));
}

/** An entry of package-lock.json. */
interface LockedPackage {
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
}

type Lockfile = ReadonlyMap<string, LockedPackage>;

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
